/** The mode of a contact as contests tell modes apart. */
import { cabrilloMode } from "../logs/cabrillo/cabrillo-tables.js";
import type { ContestMode } from "./rules/contest-rule.js";

const MODES: ReadonlyMap<string, ContestMode> = new Map([
  ["CW", "CW"],
  ["PH", "PH"],
  ["FM", "PH"],
  ["RY", "RY"],
  ["DG", "DG"],
]);

/** @param mode A mode of Cabrillo or ADIF, in any case. */
export function contestMode(mode: string): ContestMode {
  const known = MODES.get(mode);
  if (known !== undefined) return known;
  const name = mode.toUpperCase();
  return MODES.get(name) ?? MODES.get(cabrilloMode(name)) ?? "DG";
}
