/** Texts of WSPR and FST4W: a call, a locator unless the call is compound, and the power. */
import type { ParsedMessage } from "./message.js";
import { membersOf } from "./message-stations.js";
import { isGrid6, stationOf } from "./message-words.js";

/** A locator by its form: RR73 is one here. */
const GRID4 = /^[A-R]{2}[0-9]{2}$/;

/** In dBm: 0 to 60, and each level has 0, 3 or 7 as its last digit. */
const POWER = /^(?:[1-5]?[037]|60)$/;

/** @param words Of the text in upper case. */
export function parseWspr(words: readonly string[]): ParsedMessage {
  const power = words.at(-1) ?? "";
  const de = stationOf(words[0] ?? "");
  const grid = words[1];
  if (de !== undefined && POWER.test(power)) {
    const start = { kind: "wspr", ...membersOf({ de }) } as const;
    const powerDbm = Number(power);
    if (words.length === 2) return { ...start, powerDbm };
    if (words.length === 3 && grid !== undefined && (de.hashed ? isGrid6(grid) : GRID4.test(grid)))
      return { ...start, grid, powerDbm };
  }
  return { kind: "unknown?", ambiguous: true };
}
