/** Tags of .adi text, such as `<CALL:5>`, `<FREQ:6:N>`, `<EOR>`, and the values behind them. */
import { decodeUtf8, isAscii } from "./byte-text.js";

/** A tag in a byte text. */
export interface AdiTag {
  /** Index of its "<". */
  readonly start: number;
  /** Index after its ">". */
  readonly end: number;
  /** In upper case. */
  readonly name: string;
  /** Declared length of the value, in bytes. */
  readonly length: number;
  readonly type: string | undefined;
  /** Whether it is `EOH` or `EOR`, not a field; also with a length of 0, which some programs write. */
  readonly isMark: boolean;
}

/** Names in use have up to about 40 characters. A longer sequence without ">" is text. */
const MAX_TAG_LENGTH = 200;

const LESS = 60;
const GREATER = 62;
const COLON = 58;
const BLANK = 32;

/** Finds the first tag at or after an index. */
export type TagFinder = (from: number) => AdiTag | undefined;

/**
 * A finder for the tags of a byte text: a name and a length, or `EOH` or `EOR`. Anything else between "<" and ">" is text,
 * such as the `<APP_LOTW_EOF>` at the end of some files.
 */
export function createTagFinder(text: string): TagFinder {
  // Cache: a log has the same names in each QSO.
  const names = new Map<string, string>();
  // The last tag that was found, and from where: behind a value, the tag that a check of its length found is the next one.
  let last: AdiTag | undefined;
  let lastFrom = 0;
  let lastStart = -1;
  return (from) => {
    if (from >= lastFrom && from <= lastStart) return last;
    lastFrom = from;
    for (lastStart = from; ; lastStart++) {
      lastStart = text.indexOf("<", lastStart);
      if (lastStart < 0) return undefined;
      last = tagAt(text, lastStart, names);
      if (last !== undefined) return last;
    }
  };
}

/** Whether a tag begins at an index. */
export function isTagAt(text: string, index: number): boolean {
  return tagAt(text, index, new Map()) !== undefined;
}

function tagAt(text: string, start: number, names: Map<string, string>): AdiTag | undefined {
  let colon1 = -1;
  let colon2 = -1;
  for (let index = start + 1; index < start + MAX_TAG_LENGTH; index++) {
    const code = text.charCodeAt(index);
    if (code === GREATER) {
      const name = upperCase(text.slice(start + 1, colon1 < 0 ? index : colon1), names);
      return colon1 < 0 ? markOf(name, start, index) : fieldTag(text, { name, start, index, colon1, colon2 });
    }
    if (code === COLON) {
      if (colon1 < 0) colon1 = index;
      else if (colon2 < 0) colon2 = index;
      else return undefined;
    } else if (code === LESS || !(code >= BLANK)) return undefined;
  }
  return undefined;
}

function markOf(name: string, start: number, close: number): AdiTag | undefined {
  if (!isMarkName(name)) return undefined;
  return { start, end: close + 1, name, length: 0, type: undefined, isMark: true };
}

function isMarkName(name: string): boolean {
  return name === "EOR" || name === "EOH";
}

interface TagParts {
  readonly name: string;
  readonly start: number;
  /** Index of the ">". */
  readonly index: number;
  readonly colon1: number;
  /** Negative without a type. */
  readonly colon2: number;
}

function fieldTag(text: string, { name, start, index, colon1, colon2 }: TagParts): AdiTag | undefined {
  const length = numberAt(text, colon1 + 1, colon2 < 0 ? index : colon2);
  if (name === "" || Number.isNaN(length)) return undefined;
  if (length === 0 && isMarkName(name)) return markOf(name, start, index);
  const type = colon2 < 0 ? undefined : typeOf(text, colon2, index);
  return { start, end: index + 1, name, length, type, isMark: false };
}

function typeOf(text: string, colon: number, close: number): string | undefined {
  const type = text
    .slice(colon + 1, close)
    .trim()
    .toUpperCase();
  return type === "" ? undefined : type;
}

/** An integer, possibly surrounded by blanks; `NaN` for anything else. */
function numberAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return numberIn(text.slice(from, to));
    number = number * 10 + digit;
  }
  return from < to ? number : Number.NaN;
}

function numberIn(text: string): number {
  return /^ *\d+ *$/.test(text) ? Number(text) : Number.NaN;
}

/** Size of the cache: bounds the memory for a log with unlimited different names. */
const MAX_NAMES = 1000;

function upperCase(name: string, names: Map<string, string>): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const upper = name.trim().replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, upper);
  return upper;
}

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
