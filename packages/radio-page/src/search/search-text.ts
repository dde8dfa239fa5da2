/** What the search field holds: a call, a locator and a frequency, in any order. */
import { findBand } from "hamkit/frequency";

import { isLocator } from "./is-locator.js";

export interface Search {
  readonly call?: string;
  readonly locator?: string;
  readonly frequencyKHz?: number;
}

/** A part that is none of these. */
export interface SearchProblem {
  readonly problem: string;
}

/** A longer text is pasted by mistake. */
const MAX_LENGTH = 100;

/**
 * Reads "DL1ABC, JN48QM, 14.074". A word such as JN48QM, which could be a call too, is a locator.
 *
 * @returns `undefined` for a blank text.
 */
export function parseSearch(text: string): Search | SearchProblem | undefined {
  const words = text
    .trim()
    .toUpperCase()
    .replaceAll(/(\d)\s+(?=[KM]HZ\b)/g, "$1")
    .split(/[\s,;]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return undefined;
  if (text.length > MAX_LENGTH)
    return { problem: "The text is too long for a call, a locator and a frequency." };
  const search: { call?: string; locator?: string; frequencyKHz?: number } = {};
  for (const word of words) {
    const frequencyKHz = frequencyIn(word);
    if (frequencyKHz !== undefined) search.frequencyKHz = frequencyKHz;
    else if (isLocator(word)) search.locator = word;
    else if (search.call === undefined) search.call = word;
    else
      return {
        problem: `“${word}” is neither a locator nor a frequency. A call is there already: ${search.call}.`,
      };
  }
  if (search.call === undefined && search.locator === undefined)
    return { problem: "Expected a call or a locator, such as DL1ABC or JN48QM." };
  return search;
}

/** 14.074, 14074, 14.074MHZ or 14074KHZ in kHz. A number without a unit is in the one in which it is in a band. */
function frequencyIn(word: string): number | undefined {
  const [, digits = "", unit] = /^(\d+(?:\.\d+)?)([KM]HZ)?$/.exec(word) ?? [];
  if (digits === "") return undefined;
  const value = Number(digits);
  if (unit !== undefined) return unit === "MHZ" ? value * 1000 : value;
  const isProbablyMHz = digits.includes(".") || value < 1000;
  const readings = isProbablyMHz ? [value * 1000, value] : [value, value * 1000];
  return readings.find((kHz) => findBand(kHz) !== undefined) ?? readings[0];
}
