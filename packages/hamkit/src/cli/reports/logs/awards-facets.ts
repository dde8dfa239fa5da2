/** Which counts of an award are shown, and what they are called. */
import type { AwardCounter, AwardCounts, AwardRule } from "../../../awards.js";
import type { TableSource } from "../../../lookup.js";

export interface AwardsOutcome {
  readonly input: string;
  readonly counter: AwardCounter;
  readonly rules: readonly AwardRule[];
  readonly table: TableSource;
  readonly options: {
    readonly award?: readonly string[];
    readonly needed?: boolean;
    readonly band?: boolean;
    readonly mode?: boolean;
    readonly contradictions?: boolean;
  };
}

export interface CountedOutcome extends AwardsOutcome {
  readonly counts: AwardCounts;
}

export const INDENT = "  ";

/** By band and by mode only on request; VUCC is by band. The first count always, others if they have contacts. */
export function shownKeys(
  rule: AwardRule,
  counts: AwardCounts,
  { band = false, mode = false }: AwardsOutcome["options"],
): readonly string[] {
  const groups = rule.facets.map(({ key, eachBand, modes, slots, continents }) => {
    const isHidden =
      (eachBand !== undefined && key !== "" && !band) ||
      (modes !== undefined && slots === undefined && !mode) ||
      continents !== undefined;
    const base = countKey(rule, key);
    const keys = eachBand === undefined ? [base] : eachBand.map((each) => `${base}.${each}`);
    return isHidden ? [] : keys;
  });
  const [first, ...others] = groups.flat();
  const worked = others.filter((key) => (counts[key]?.worked ?? 0) > 0);
  const isFirstShown = first !== undefined && (worked.length === 0 || rule.facets[0]?.eachBand === undefined);
  return isFirstShown || (first !== undefined && (counts[first]?.worked ?? 0) > 0)
    ? [first, ...worked]
    : worked;
}

export function countKey({ id }: AwardRule, facet: string): string {
  return facet === "" ? id : `${id}.${facet}`;
}

/** The words of a key behind the award: `mixed.withDeleted` is "mixed, with deleted". */
export function facetName(rule: AwardRule, key: string): string {
  const facet = key.slice(rule.id.length + 1);
  // What has a count with deleted entities beside it is the usual one without them.
  const isUsual = rule.facets.some((each) => each.key === facet.replace(".current", ".withDeleted"));
  const words = (isUsual ? facet.replace(".current", "") : facet)
    .split(".")
    .filter((word) => word !== "band" && word !== "");
  const text = words.map((word) => word.replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, " ")).join(", ");
  return text === ""
    ? unitsName(rule)
    : /^[a-z]/.test(text)
      ? text.toLowerCase().replace("5band", "5 bands")
      : text;
}

const UNIT_NAMES: Readonly<Partial<Record<AwardRule["unit"], string>>> = {
  grid: "grids",
  iota: "groups",
  county: "counties",
  pota: "parks",
  sota: "summits",
  wwff: "references",
  wae: "countries",
  ituz: "zones",
};

function unitsName({ unit }: AwardRule): string {
  return UNIT_NAMES[unit] ?? "units";
}
