/** The sums of a contest. */
import type { ContestRule } from "./rules/contest-rule.js";

/** A multiplier of a contact. */
export interface FoundMultiplier {
  readonly property: string;
  /** Such as `14`, or the code of an entity. */
  readonly value: string;
  /** What it counts. */
  readonly multipliers: number;
}

/** What a contact adds to the sums. */
interface Counted {
  readonly points: number;
  /** New ones only. */
  readonly multipliers: readonly FoundMultiplier[];
}

/** The sums of a band, or of all. */
export interface ScoreSums {
  /** Contacts without dupes, and without those on another band or in another mode. */
  readonly qsos: number;
  readonly dupes: number;
  readonly points: number;
  /** By property. */
  readonly multipliers: Readonly<Record<string, number>>;
}

/** The score of a contest. */
export interface ContestScore extends ScoreSums {
  /** Contacts on bands and in modes that are not the contest's. */
  readonly excluded: number;
  readonly qtcs: number;
  readonly qtcPoints: number;
  /** Sum of all multipliers. */
  readonly multiplierCount: number;
  /** Without factors of the header. */
  readonly total: number;
  /** In the order of the rule. */
  readonly bands: readonly (ScoreSums & { readonly band: string })[];
}

interface Sums {
  qsos: number;
  dupes: number;
  points: number;
  readonly multipliers: Record<string, number>;
}

export interface ScoreTable {
  add(band: string, contact: Counted): void;
  addDupe(band: string): void;
  exclude(): void;
  addQtcs(count: number, points: number): void;
  score(): ContestScore;
}

export function createScoreTable(rule: ContestRule): ScoreTable {
  const properties = Array.from(new Set(rule.multipliers.map(({ property }) => property)));
  const noSums = (): Sums => ({
    qsos: 0,
    dupes: 0,
    points: 0,
    multipliers: Object.fromEntries(properties.map((name) => [name, 0])),
  });
  const all = noSums();
  const bands = new Map(rule.bands.map((band) => [band, noSums()]));
  let excluded = 0;
  let qtcs = 0;
  let qtcPoints = 0;

  return {
    add(band, contact) {
      count(all, contact);
      count(bands.get(band), contact);
    },
    addDupe(band) {
      all.dupes++;
      const sums = bands.get(band);
      if (sums !== undefined) sums.dupes++;
    },
    exclude() {
      excluded++;
    },
    addQtcs(number, points) {
      qtcs += number;
      qtcPoints += points;
    },
    score() {
      const multiplierCount = Object.values(all.multipliers).reduce((sum, value) => sum + value, 0);
      const points = all.points + qtcPoints;
      const isSum = rule.total === "sum" || rule.multipliers.length === 0;
      return {
        ...copyOf(all),
        excluded,
        qtcs,
        qtcPoints,
        multiplierCount,
        total: isSum ? points + multiplierCount : points * multiplierCount,
        bands: Array.from(bands, ([band, sums]) => ({ band, ...copyOf(sums) })).filter(
          ({ qsos, dupes }) => qsos + dupes > 0,
        ),
      };
    },
  };
}

function copyOf({ multipliers, ...sums }: Sums): ScoreSums {
  return { ...sums, multipliers: { ...multipliers } };
}

function count(sums: Sums | undefined, { points, multipliers }: Counted): void {
  if (sums === undefined) return;
  sums.qsos++;
  sums.points += points;
  for (const { property, multipliers: value } of multipliers)
    sums.multipliers[property] = (sums.multipliers[property] ?? 0) + value;
}
