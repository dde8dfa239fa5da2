/** The values behind tags of .adi text: where each ends. */
import { BLANK, isTagAt, LESS, type AdiTag, type TagFinder } from "./adi-tag.js";
import { decodeUtf8, isAscii } from "./byte-text.js";

/**
 * What ends a value whose length contradicts what follows.
 *
 * `declared`: the length. `bounded`: the length, but not behind the next tag. `evident`: the next tag.
 */
export type LengthPolicy = "declared" | "bounded" | "evident";

/** A byte text to read values from. */
export interface AdiSource {
  readonly text: string;
  readonly findTag: TagFinder;
  /** Whether the text is ASCII. */
  readonly ascii: boolean;
  /** Whether the text is ASCII between two indexes. */
  readonly isAsciiRange: (from: number, to: number) => boolean;
  readonly budget: CountBudget;
}

/**
 * Bytes of long values with a tag in them that a file may still have counted: the lengths of a hostile file may cover the rest of
 * it, each time.
 */
export interface CountBudget {
  bytes: number;
}

/** 32 MB: each such value of a sound log is counted once. */
export function countBudget(): CountBudget {
  return { bytes: 32 * 1024 * 1024 };
}

/** Where a value ends, and what is wrong with its length or encoding. */
export interface ValueExtent {
  /** Index after its last byte. */
  readonly end: number;
  readonly fault?: LengthFault;
}

export interface LengthFault {
  readonly rule: string;
  readonly message: string;
  /** Whether the length contradicts what follows. */
  readonly isWrong: boolean;
}

/**
 * Where the value behind a tag ends, if not where a value of ASCII text may end by its length.
 *
 * ADIF counts ASCII characters, and a value may contain anything, including `<EOR>`. Where a value has other characters, programs
 * count bytes, characters or UTF-16 units: then the count applies after which the next tag follows.
 */
export function extentOf(tag: AdiTag, source: AdiSource, lengths: LengthPolicy): ValueExtent {
  const { text, ascii } = source;
  const end = tag.end + tag.length;
  if (lengths === "declared" && (ascii || source.isAsciiRange(tag.end, end + 1))) {
    if (isEndOfValue(text, end)) return { end };
    return { end: Math.min(end, text.length), fault: wrongLength(tag, text, nextTag(tag, source)) };
  }
  const next = nextTag(tag, source);
  const isPlain = ascii || source.isAsciiRange(tag.end, Math.max(next, end + 1));
  const counted = isPlain ? undefined : countedEnd(tag, source, next);
  if (counted !== undefined || isEndOfValue(text, end)) return soundExtent(tag, text, counted ?? end);
  const fault = wrongLength(tag, text, next);
  if (end <= next && lengths !== "evident") return { end, fault };
  // It ends with the last character before the next tag that is not blank.
  return { end: tag.end + trimmedEnd(text.slice(tag.end, next)), fault };
}

/** Index of the tag behind another, or of the end of the text. */
function nextTag(tag: AdiTag, { text, findTag }: AdiSource): number {
  return findTag(tag.end)?.start ?? text.length;
}

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

/** The extent that one of the counts gives. */
function soundExtent({ name, length, end: start }: AdiTag, text: string, end: number): ValueExtent {
  const raw = text.slice(start, end);
  if (isAscii(raw)) return { end };
  const message = `${name}: the declared length ${length} is not a count of ASCII characters`;
  return { end, fault: { rule: encodingRule(raw, length), message, isWrong: false } };
}

/** How a value beyond ASCII was counted. */
function encodingRule(raw: string, length: number): string {
  const value = decodeUtf8(raw);
  if (value === undefined) return "latin1-bytes";
  if (raw.length === length) return "length-in-bytes-of-utf8";
  const isUtf16 = value.length === length && Array.from(value).length !== length;
  return isUtf16 ? "length-in-utf16-units" : "length-in-characters-of-utf8";
}

/** What is wrong with a length. It is too long if its value would contain the beginning of the next tag. */
function wrongLength({ name, length, end: start }: AdiTag, text: string, next: number): LengthFault {
  const end = start + length;
  const [rule, reason] =
    end > text.length
      ? ["length-too-long-at-end", "the file ends earlier"]
      : end > next
        ? ["length-too-long", "the next field begins earlier"]
        : [
            "length-too-short",
            `${JSON.stringify(text.slice(end, Math.min(next, end + 30)).trim())} follows the value`,
          ];
  const message = `${name}: the declared length is ${length}, but ${reason}`;
  return { rule, message, isWrong: true };
}

/** Bytes that are counted without a look at the budget. */
const FREE_COUNT = 2048;
/** Blanks between a value and the next tag. A stream has this much of the text behind a value, and more. */
const MAX_BLANKS = 1024;
const CONTINUATION = 0x80;
const LEAD = 0xc0;
const LEAD_OF_FOUR = 0xf0;

/**
 * The end of a value with characters beyond ASCII, where one count is followed by a tag or the end of the text: that of bytes,
 * code points or UTF-16 units. A tag in the value does not matter then.
 */
function countedEnd(
  { end: start, length }: AdiTag,
  { text, budget }: AdiSource,
  next: number,
): number | undefined {
  // A character has at least one byte, and at most four.
  if (start + length > text.length) return undefined;
  const hasTag = start + length >= next;
  const limit = hasTag ? Math.min(start + 4 * length, text.length) : next;
  if (hasTag && length > FREE_COUNT && (budget.bytes -= limit - start) < 0) return undefined;
  const raw = text.slice(start, limit);
  if (isAscii(raw)) return undefined;
  if (isFollowedByTag(text, start + length)) return start + length;
  for (const unitsOfFour of [2, 1]) {
    const end = endOfCount(raw, length, unitsOfFour);
    if (end === undefined || !isFollowedByTag(text, start + end)) continue;
    if (decodeUtf8(raw.slice(0, end)) !== undefined) return start + end;
  }
  return undefined;
}

/** Index after a number of characters of UTF-8, of which those of four bytes count once or twice; `undefined` if there are less. */
function endOfCount(text: string, length: number, unitsOfFour: number): number | undefined {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= CONTINUATION && code < LEAD) continue;
    if (count >= length) return index;
    count += code >= LEAD_OF_FOUR ? unitsOfFour : 1;
  }
  return count >= length ? text.length : undefined;
}

/** Whether only blanks are between an index and the next tag, or the end of the text. */
function isFollowedByTag(text: string, end: number): boolean {
  let index = end;
  while (text.charCodeAt(index) <= BLANK && index < end + MAX_BLANKS) index++;
  return index === text.length || (text.charCodeAt(index) === LESS && isTagAt(text, index));
}
