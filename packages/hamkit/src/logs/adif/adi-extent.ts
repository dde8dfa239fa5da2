/** Determines where the values of .adi files end: by their declared length, or by the next tag if that is wrong. */
import type { AdiTag, TagFinder } from "./adi-tag.js";
import { decodeUtf8, isAscii } from "./byte-text.js";

/** The extent of a value. */
export interface Extent {
  /** Index after its last byte. */
  readonly end: number;
  /** Message of the problem with the length. */
  readonly fault?: string;
}

/** A byte text and its tag finder. */
export interface AdiText {
  readonly text: string;
  readonly findTag: TagFinder;
  /** Whether the text is ASCII. */
  readonly ascii: boolean;
}

/**
 * The extent of the value after a tag.
 *
 * The length counts bytes, and a value may contain anything, including `<EOR>`. Programs that count characters instead are
 * recognized by what follows the value. An excessive length must not consume the rest of the log: the value then ends
 * before the next tag.
 */
export function valueExtent(tag: AdiTag, source: AdiText): Extent {
  const { text, ascii } = source;
  const end = tag.end + tag.length;
  if (ascii && isEndOfValue(text, end)) return { end };
  const next = source.findTag(tag.end)?.start ?? text.length;
  return (
    (ascii ? undefined : extentInCharacters(tag, text, next)) ??
    (isEndOfValue(text, end) ? { end } : resolve(tag, text, next))
  );
}

const LESS = 60;
const BLANK = 32;

/** Whether a value may end at an index: before a tag, a blank, a line end, or the end of the text. */
export function isEndOfValue(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  return code <= BLANK || code === LESS || end === text.length;
}

/** Length without blanks at the end. Not `trimEnd`: A0 is a blank of Unicode, and the last byte of "à" in UTF-8. */
export function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= BLANK) end--;
  return end;
}

/**
 * The extent if the length counts UTF-16 units or code points instead of bytes: the value then ends right before the next
 * tag or the end, which it does not by bytes.
 */
function extentInCharacters(tag: AdiTag, text: string, next: number): Extent | undefined {
  const { end: start, length } = tag;
  if (start + length >= next) return undefined;
  const raw = text.slice(start, next);
  if (isAscii(raw) || trimmedEnd(raw) <= length) return undefined;
  const decoded = decodeUtf8(raw);
  if (decoded === undefined) return undefined;
  for (const value of [decoded.slice(0, length), Array.from(decoded).slice(0, length).join("")]) {
    if (decoded.slice(value.length).trim() === "") return { end: start + bytesOf(value) };
  }
  return undefined;
}

function bytesOf(value: string): number {
  return new TextEncoder().encode(value).length;
}

/** The extent for a wrong length: the declared one if it ends before the next tag, else up to that tag. */
function resolve({ end: start, length, name }: AdiTag, text: string, next: number): Extent {
  const declared = `${name}: the declared length is ${length}`;
  const end = start + length;
  if (end <= next) {
    const more = text.slice(end, Math.min(next, end + 30)).trim();
    return { end, fault: `${declared}, but ${JSON.stringify(more)} follows the value` };
  }
  const shorter = start + trimmedEnd(text.slice(start, next));
  const reason = end > text.length ? "the file ends earlier" : "the next field begins earlier";
  return { end: shorter, fault: `${declared}, but ${reason}` };
}
