/** Multipliers of a contact that were not counted before: per band, per mode, or once. */
import type { ContestSituation, SituationTest } from "./rules/conditions.js";
import type { ContestMultiplier, CountedPer } from "./rules/contest-rule.js";
import type { PropertyReader } from "./rules/properties.js";
import type { FoundMultiplier } from "./score-sums.js";

export const NO_MULTIPLIERS: readonly FoundMultiplier[] = Object.freeze([]);

interface MultiplierEntry {
  readonly fits: SituationTest;
  readonly per: CountedPer;
  readonly value: number;
  readonly except: ReadonlySet<string>;
}

interface MultiplierGroup {
  readonly property: string;
  readonly read: PropertyReader;
  readonly entries: readonly MultiplierEntry[];
  /** Values by where they count once. */
  readonly seen: Map<string, Set<string>>;
}

interface MultiplierCompiler {
  readonly read: (property: string) => PropertyReader;
  readonly fits: (rule: ContestMultiplier) => SituationTest;
}

/** @returns A function that finds those of a contact, and counts them if told so. */
export function createMultiplierFinder(rules: readonly ContestMultiplier[], compile: MultiplierCompiler) {
  const groups = multiplierGroups(rules, compile);
  return (situation: ContestSituation, counts: boolean): readonly FoundMultiplier[] => {
    let found: FoundMultiplier[] | undefined;
    for (const { property, read, entries, seen } of groups) {
      const entry = entries.find(({ fits }) => fits(situation));
      if (entry === undefined || entry.value === 0) continue;
      const value = read(situation.their, situation.my);
      if (value === undefined || entry.except.has(value)) continue;
      const key = countKey(entry.per, situation.band, situation.mode);
      let values = seen.get(key);
      if (values?.has(value) === true) continue;
      (found ??= []).push({ property, value, multipliers: entry.value });
      if (!counts) continue;
      if (values === undefined) seen.set(key, (values = new Set()));
      values.add(value);
    }
    return found ?? NO_MULTIPLIERS;
  };
}

/** The entries of each property, in their order. */
function multiplierGroups(
  rules: readonly ContestMultiplier[],
  compile: MultiplierCompiler,
): readonly MultiplierGroup[] {
  const names = Array.from(new Set(rules.map(({ property }) => property)));
  return names.map((property) => ({
    property,
    read: compile.read(property),
    entries: rules
      .filter((each) => each.property === property)
      .map((each) => ({
        fits: compile.fits(each),
        per: each.per,
        value: each.value ?? 1,
        except: new Set(each.except?.map((value) => value.toUpperCase())),
      })),
    seen: new Map(),
  }));
}

/** Where something counts once. */
export function countKey(per: CountedPer, band: string, mode: string): string {
  if (per === "band") return band;
  if (per === "band-mode") return `${band} ${mode}`;
  return per === "mode" ? mode : "";
}
