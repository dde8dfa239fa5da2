/** Words of exchanges: which words can be a serial number, a zone, a name. */
import type { ContestProperty, ContestRule } from "./contest-rule.js";
import { MAX_WORD } from "./pattern-cost.js";

/** Whether a word, in upper case and without leading zeros, can be a property. */
export type WordTest = (word: string) => boolean;

export const PATTERNS: Readonly<Record<string, RegExp>> = {
  rst: /^(?:[1-5][1-9][1-9NA]?|[+-]\d\d?)$/,
  serial: /^\d{1,6}$/,
  cq_zone: /^(?:[1-9]|[123]\d|40)$/,
  itu_zone: /^(?:[1-9]|[1-8]\d|90)$/,
  state_province: /^[A-Z]{2,4}$/,
  section: /^[A-Z]{2,3}$/,
  dxcc_prefix: /^(?=.*[A-Z])[A-Z\d]{1,4}(?:\/[A-Z\d]{1,2})?$/,
  continent: /^(?:AF|AN|AS|EU|NA|OC|SA)$/,
  iota: /^(?:AF|AN|AS|EU|NA|OC|SA)-?\d{1,3}$/,
  locator: /^[A-R]{2}\d{2}(?:[A-X]{2}(?:\d{2})?)?$/,
  name: /^[\p{L}.' -]+$/u,
  age: /^\d{1,3}$/,
  power: /^(?:\d{1,4}W?|\d?KW?|KILO|QRP)$/,
  class: /^[A-Z\d]+$/,
  member_number: /^\d+$/,
  nm: /^NM$/,
  generic_number: /^\d+$/,
  generic_text: /./,
  /** Dashes for a word that a station does not have. */
  nothing: /^-+$/,
};

/** The test of words for a property; `undefined` for a property that is no word. */
export function wordTest(rule: ContestRule, name: string): WordTest | undefined {
  const own = ownProperty(rule, name);
  if (own === undefined) {
    const pattern = Object.hasOwn(PATTERNS, name) ? PATTERNS[name] : undefined;
    return pattern && ((word) => word.length <= MAX_WORD && pattern.test(word));
  }
  if ("values" in own) {
    const values = new Set(own.values.map((value) => value.toUpperCase()));
    return (word) => values.has(word) || values.has(`0${word}`);
  }
  if (!("pattern" in own)) return undefined;
  const pattern = new RegExp(`^(?:${own.pattern})$`, "iu");
  return (word) => word.length <= MAX_WORD && pattern.test(word);
}

/** A property that the rule itself defines. */
export function ownProperty({ properties = {} }: ContestRule, name: string): ContestProperty | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
