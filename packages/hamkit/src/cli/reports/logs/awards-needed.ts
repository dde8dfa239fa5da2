/** What awards need: units that were not worked, and that were not confirmed. */
import type { AwardRule, AwardUnit } from "../../../awards.js";
import type { TableSource } from "../../../lookup.js";
import type { Session } from "../../session.js";
import { toPrintable } from "../../terminal/terminal.js";
import { wrapped } from "../../terminal/wrapped-text.js";
import { facetName, INDENT, countKey, shownKeys, type CountedOutcome } from "./awards-facets.js";

/** Longer lists are only counted: the challenge needs 3,400 slots. */
const MAX_LISTED = 500;

export function neededLines(
  rules: readonly AwardRule[],
  outcome: CountedOutcome,
  session: Session,
): string[] {
  const { counts, options } = outcome;
  return rules
    .filter(({ confirm, units }) => confirm.length > 0 || units !== undefined)
    .flatMap((rule) =>
      shownKeys(rule, counts, options).flatMap((key) => neededBlock(rule, key, outcome, session)),
    );
}

function neededBlock(rule: AwardRule, key: string, outcome: CountedOutcome, session: Session): string[] {
  const { counter, table } = outcome;
  const { unworked, unconfirmed } = counter.needed(key);
  const hasSlots = rule.facets.some(
    (facet) => facet.slots !== undefined && countKey(rule, facet.key) === key,
  );
  const list = (title: string, units: readonly AwardUnit[]): string[] => {
    const label = `${INDENT}${title}`;
    if (units.length === 0) return [`${label}: none`];
    if (units.length > MAX_LISTED) return [`${label}: ${units.length}; --json lists them`];
    const groups = hasSlots ? slotGroups(units) : undefined;
    if (groups === undefined)
      return wrapped(`${label} (${units.length}):`, unitNames(rule, units, table), session);
    const lines = groups.flatMap(([slot, slotUnits]) =>
      wrapped(`${INDENT}${INDENT}${slot}:`, unitNames(rule, slotUnits, table), session),
    );
    return [`${label} (${units.length}):`, ...lines];
  };
  const heading = session.ink("bold", `${rule.name}: ${facetName(rule, key)}`);
  // Deleted entities can't be worked any more: what is missing is the same as without them.
  const isWithDeleted = rule.facets.some(
    (facet) => facet.deleted === true && countKey(rule, facet.key) === key,
  );
  const missing = unworked === undefined || isWithDeleted ? [] : list("not worked", unworked);
  return ["", heading, ...missing, ...list("not confirmed", unconfirmed)];
}

/** Slots such as `291 20m` by band or mode. */
function slotGroups(units: readonly AwardUnit[]): readonly [string, readonly string[]][] {
  const groups = new Map<string, string[]>();
  for (const each of units) {
    const [unit = "", slot = ""] = String(each).split(" ");
    const group = groups.get(slot);
    if (group === undefined) groups.set(slot, [unit]);
    else group.push(unit);
  }
  return Array.from(groups);
}

function unitNames(rule: AwardRule, units: readonly AwardUnit[], table: TableSource): string {
  const names = units.map((unit) => unitName(rule, unit, table));
  return (hasPrefixes(rule) ? names.toSorted() : names).join(" ");
}

function hasPrefixes({ unit }: AwardRule): boolean {
  return unit === "entity" || unit === "wae";
}

/** Entities by their main prefix, which is how operators call them. */
function unitName(rule: AwardRule, value: AwardUnit, table: TableSource): string {
  if (!hasPrefixes(rule)) return toPrintable(String(value));
  const code = String(value);
  return toPrintable(
    /^\d+$/.test(code) ? (table.entity(Number(code))?.prefix ?? code) : (REGION_PREFIXES[code] ?? code),
  );
}

const REGION_PREFIXES: Readonly<Record<string, string>> = {
  BI: "JW/b",
  ET: "TA1",
  IV: "4U1V",
  SI: "GM/s",
  SY: "IT9",
};
