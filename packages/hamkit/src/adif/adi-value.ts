/** The value behind a tag of an .adi file: by its declared length, or up to where it evidently ends. */
import { isEndOfValue, valueExtent, type AdiText } from "../logs/adif/adi-extent.js";
import type { AdiTag } from "../logs/adif/adi-tag.js";
import { decode, decodeUtf8, isAscii } from "../logs/adif/byte-text.js";

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
export function declaredValue(tag: AdiTag, source: AdiText): AdiValue {
  const { text } = source;
  const end = tag.end + tag.length;
  const raw = text.slice(tag.end, end);
  if (!source.ascii && !isAscii(text.slice(tag.end, end + 1))) return evidentValue(tag, source);
  if (end > text.length) return { value: raw, end: text.length, rule: "length-too-long-at-end" };
  return isEndOfValue(text, end) ? { value: raw, end } : { value: raw, end, rule: lengthRule(raw) };
}

/** The value up to where it evidently ends: before the next tag, if the declared length contradicts it. */
export function evidentValue(tag: AdiTag, source: AdiText): AdiValue {
  const { text, findTag } = source;
  const declared = tag.end + tag.length;
  const next = findTag(tag.end)?.start ?? text.length;
  const ascii = source.ascii || isAscii(text.slice(tag.end, Math.max(next, declared + 1)));
  const { end, fault } = valueExtent(tag, { text, findTag, ascii });
  const raw = text.slice(tag.end, end);
  if (ascii && fault !== undefined) return cutValue(tag, text, next);
  return ascii ? { value: raw, end } : { value: decode(raw), end, rule: encodingRule(raw, tag.length) };
}

/** A value whose length is wrong: it ends with the last character that is not blank before the next tag. */
function cutValue(tag: AdiTag, text: string, next: number): AdiValue {
  const value = text.slice(tag.end, next).trimEnd();
  const tooLong = tag.end + tag.length > next;
  const end = tag.end + value.length;
  if (!tooLong) return { value, end, rule: "length-too-short" };
  const atEnd = tag.end + tag.length > text.length;
  return { value, end, rule: atEnd ? "length-too-long-at-end" : "length-too-long" };
}

function lengthRule(raw: string): string {
  return /<[A-Z_\d]+(?::\d+(?::[A-Z])?)?>?/i.test(raw) ? "length-too-long" : "length-too-short";
}

/** How a value beyond ASCII was counted. */
function encodingRule(raw: string, length: number): string {
  const value = decodeUtf8(raw);
  if (value === undefined) return "latin1-bytes";
  if (raw.length === length) return "length-in-bytes-of-utf8";
  const isUtf16 = value.length === length && Array.from(value).length !== length;
  return isUtf16 ? "length-in-utf16-units" : "length-in-characters-of-utf8";
}
