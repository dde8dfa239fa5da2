/** Squares: the first 4 characters of locators. */
import { showValue } from "../../show-value.js";
import { upperCase, type LoggedContact } from "../contacts/contact.js";
import type { ContradictionSink } from "../contacts/contradictions.js";

/** JO62 of JO62QM; `undefined` for a text that is no locator. RR73 is a greeting, though a square of that name exists. */
export function gridOf(text: string): string | undefined {
  if (text.length < 4) return undefined;
  const grid = upperCase(text.slice(0, 4));
  return isField(grid, 0) && isField(grid, 1) && isDigit(grid, 2) && isDigit(grid, 3) && grid !== "RR73"
    ? grid
    : undefined;
}

function isField(grid: string, index: number): boolean {
  const code = grid.charCodeAt(index);
  return code >= 65 && code <= 82;
}

function isDigit(grid: string, index: number): boolean {
  const code = grid.charCodeAt(index);
  return code >= 48 && code <= 57;
}

/** Squares of a station on a line or a corner. */
const MAX_GRIDS = 4;

/** The squares of a contact: those of VUCC_GRIDS, else that of GRIDSQUARE. */
export function gridsOf(
  contact: LoggedContact,
  sink: ContradictionSink,
): readonly string[] | string | undefined {
  const { VUCC_GRIDS: list, GRIDSQUARE: locator } = contact.record;
  if (list === undefined || list === "") {
    if (locator === undefined || locator === "") return undefined;
    const grid = gridOf(locator);
    if (grid === undefined)
      sink.report(
        "grid-unknown",
        contact,
        "GRIDSQUARE",
        (value) => `GRIDSQUARE: ${showValue(value)} is no grid`,
        locator,
      );
    return grid;
  }
  const parts = list.split(",", MAX_GRIDS + 1).map(upperCase);
  const grids = parts.flatMap((part) => gridOf(part) ?? []);
  if (grids.length < parts.length || grids.length > MAX_GRIDS)
    sink.report(
      "grid-unknown",
      contact,
      "VUCC_GRIDS",
      (value) => `VUCC_GRIDS: ${showValue(value)} is no list of 2 or 4 grids`,
      list,
    );
  const own = locator === undefined ? undefined : gridOf(locator);
  if (own !== undefined && !grids.includes(own))
    sink.report(
      "grid-conflict",
      contact,
      "GRIDSQUARE",
      (value, others) => `GRIDSQUARE: ${showValue(value)} is none of ${showValue(others)}`,
      locator,
      list,
    );
  return grids.slice(0, MAX_GRIDS);
}
