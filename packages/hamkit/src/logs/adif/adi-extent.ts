/** Where the values of .adi files end: where their length says, unless that can't be. */
import type { AdiTag, TagFinder } from "./adi-tag.js";
import { decodeUtf8, isAscii } from "./byte-text.js";

/** The extent of a value. */
export interface Extent {
  /** Index behind its last byte. */
  readonly end: number;
  /** What is wrong with the length, for people. */
  readonly fault?: string;
}

/** A byte text with the finder of its tags. */
export interface AdiText {
  readonly text: string;
  readonly findTag: TagFinder;
  /** Nothing in it has more than one byte. */
  readonly ascii: boolean;
}

/**
 * The extent of the value behind a tag.
 *
 * The length counts bytes, and a value may hold anything, `<EOR>` too. Programs that count characters instead are
 * recognized by what follows. A length that is too large to be true must not swallow the rest of the log: the value
 * then ends before the next tag.
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

/** What follows a value: a tag, a blank or the end of the line, or nothing. */
export function isEndOfValue(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  return code <= BLANK || code === LESS || end === text.length;
}

/**
 * The extent where the length counts UTF-16 units or code points of a value in UTF-8, and not its bytes: a tag or the
 * end follows there, and does not where the bytes end.
 */
function extentInCharacters(tag: AdiTag, text: string, next: number): Extent | undefined {
  const { end: start, length } = tag;
  if (start + length >= next) return undefined;
  const raw = text.slice(start, next);
  if (isAscii(raw) || raw.slice(length).trim() === "") return undefined;
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

/** The best that can be made of a length that is wrong. */
function resolve({ end: start, length, name }: AdiTag, text: string, next: number): Extent {
  const said = `${name} should have ${length} characters`;
  const end = start + length;
  if (end <= next) {
    const more = text.slice(end, Math.min(next, end + 30)).trim();
    return { end, fault: `${said}, yet ${JSON.stringify(more)} follows` };
  }
  const shorter = start + text.slice(start, next).trimEnd().length;
  const reason = end > text.length ? "the file ends before" : "other fields follow before";
  return { end: shorter, fault: `${said}, yet ${reason}` };
}
