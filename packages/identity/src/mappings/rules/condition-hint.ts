/** Dry-run hints at the usual mistakes in a condition that does not hold, or passes no value. */
import type { Condition } from "./condition.js";
import type { Assertion } from "./evaluate-mapping.js";
import { show } from "./rule-schema.js";

/** Names, patterns and values that are compared for a hint. */
const MAX_COMPARED = 100;

/**
 * Why the assertion may lack an attribute; empty if unknown.
 *
 * @example
 * hintAtAttribute("MAIL", { mail: "kim@example.org" }); // => '; it has "mail" (names are case-sensitive)'
 */
export function hintAtAttribute(attribute: string, assertion: Assertion): string {
  if (Object.hasOwn(assertion, attribute)) return "; its value is not a string";
  const names = Object.keys(assertion)
    .filter((name) => name !== "")
    .slice(0, MAX_COMPARED);
  const wanted = attribute.toLowerCase();
  const sameLetters = names.find((name) => name.toLowerCase() === wanted);
  if (sameLetters !== undefined) return `; it has ${show(sameLetters)} (names are case-sensitive)`;
  const longer = names.find((name) => isEndOf(wanted, name.toLowerCase()));
  if (longer !== undefined) return `; it has ${show(longer)}`;
  const shorter = names.find((name) => isEndOf(name.toLowerCase(), wanted));
  return shorter === undefined ? "" : `; it has ${show(shorter)}`;
}

/** Whether a name is another one without its prefix: MAIL of MELLON_MAIL, not ATOM of MELLONATOM. */
const isEndOf = (end: string, name: string): boolean =>
  name.endsWith(end) && /[^a-z0-9]$/.test(name.slice(0, name.length - end.length));

/** Why none of the values may be in the list; empty if unknown. */
export function hintAtList(
  { listed, isRegex }: Pick<Condition, "listed" | "isRegex">,
  values: readonly string[],
): string {
  const texts = listed.filter((value) => typeof value === "string");
  if (listed.length === 0) return "; the list is empty";
  if (!isRegex) {
    const pattern = texts.find((text) => /^\^|\$$|\.[*+]|\[.*\]|\\[dws]/.test(text));
    if (pattern !== undefined) return `; ${show(pattern)} is compared literally, because "regex" is not true`;
    return hintAtTexts(texts, values);
  }
  const some = values.slice(0, MAX_COMPARED);
  const anchored = texts
    .slice(0, MAX_COMPARED)
    .find(
      (text) =>
        /^\^[^()[\]{}|\\?*+.$^]+\$?$|^[^()[\]{}|\\?*+.$^]+\$$/.test(text) &&
        some.some((value) => value.includes(text.replaceAll(/^\^|\$$/g, ""))),
    );
  return anchored === undefined ? "" : `; ${show(anchored)} would match without its ^ or $`;
}

function hintAtTexts(texts: readonly string[], values: readonly string[]): string {
  // By key, because there may be thousands of values and of texts.
  const likenesses = new Map(texts.toReversed().map((text) => [likenessOf(text), text]));
  for (const value of values) {
    const alike = likenesses.get(likenessOf(value));
    if (alike !== undefined)
      return `; ${show(value)} differs from ${show(alike)} by case or surrounding spaces`;
  }
  const known = new Set(texts);
  const joined = values.find((value) => value.split(/[,|\s]\s*/).some((part) => known.has(part)));
  return joined === undefined ? "" : `; ${show(joined)} is one value: values are separated by semicolons`;
}

const likenessOf = (text: string): string => text.trim().toLowerCase();
