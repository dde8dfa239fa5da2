/** The value behind a tag of an .adi file: by its declared length, or up to where it evidently ends. */
import { isEndOfValue, trimmedEnd, valueExtent, type AdiText } from "../logs/adif/adi-extent.js";
import type { AdiTag } from "../logs/adif/adi-tag.js";
import { decode, decodeUtf8, isAscii } from "../logs/adif/byte-text.js";

const TOO_SHORT = "length-too-short";

/** A byte text to read values from. */
export interface AdiSource extends AdiText {
  /** Whether the text is ASCII between two indexes. */
  readonly isAsciiRange: (from: number, to: number) => boolean;
}

/** A value, and what is wrong with its length or encoding. */
export interface AdiValue {
  readonly value: string;
  /** Index after its last byte. */
  readonly end: number;
  readonly rule?: string;
}

/**
 * The value by its declared length, in bytes.
 *
 * ADIF counts ASCII characters. Where a value has other characters, programs count bytes, characters or UTF-16 units: then
 * the count applies after which the next tag follows.
 */
export function declaredValue(tag: AdiTag, source: AdiSource): AdiValue {
  const { text } = source;
  const end = tag.end + tag.length;
  const raw = text.slice(tag.end, end);
  if (!source.ascii && !source.isAsciiRange(tag.end, end + 1)) {
    const found = evidentValue(tag, source);
    return found.rule === TOO_SHORT ? { value: decode(raw), end, rule: TOO_SHORT } : found;
  }
  if (end > text.length) return { value: raw, end: text.length, rule: "length-too-long-at-end" };
  return isEndOfValue(text, end) ? { value: raw, end } : { value: raw, end, rule: lengthRule(tag, source) };
}

/** The value up to where it evidently ends: before the next tag, if the declared length contradicts it. */
export function evidentValue(tag: AdiTag, source: AdiSource): AdiValue {
  const { text, findTag } = source;
  const next = findTag(tag.end)?.start ?? text.length;
  const ascii = source.ascii || source.isAsciiRange(tag.end, next);
  const { end, fault } = valueExtent(tag, { text, findTag, ascii });
  if (fault !== undefined) return cutValue(tag, source, next);
  const raw = text.slice(tag.end, end);
  return source.ascii || isAscii(raw)
    ? { value: raw, end }
    : { value: decode(raw), end, rule: encodingRule(raw, tag.length) };
}

/** A value whose length is wrong: it ends with the last character that is not blank before the next tag. */
function cutValue(tag: AdiTag, source: AdiText, next: number): AdiValue {
  const raw = source.text.slice(tag.end, next);
  const length = trimmedEnd(raw);
  return { value: decode(raw.slice(0, length)), end: tag.end + length, rule: lengthRule(tag, source) };
}

/** A length is too long if its value would contain the beginning of the next tag. */
function lengthRule(tag: AdiTag, { text, findTag }: AdiText): string {
  const end = tag.end + tag.length;
  if (end > text.length) return "length-too-long-at-end";
  const next = findTag(tag.end)?.start ?? text.length;
  return end > next ? "length-too-long" : TOO_SHORT;
}

/** How a value beyond ASCII was counted, where one of the counts is its length. */
function encodingRule(raw: string, length: number): string {
  const value = decodeUtf8(raw);
  if (value === undefined) return "latin1-bytes";
  if (raw.length === length) return "length-in-bytes-of-utf8";
  const isUtf16 = value.length === length && Array.from(value).length !== length;
  return isUtf16 ? "length-in-utf16-units" : "length-in-characters-of-utf8";
}
