/** The latest spots, in memory that is bounded by their number and age. */
import type { Count } from "../log/log-types.js";
import type { Needed } from "../needed/need-words.js";
import { BANDS } from "./band-colors.js";
import type { LiveSpot } from "./live-spot.js";
import { isShown, type SpotFilter } from "./spot-filter.js";

/** More than a user can watch; what arrives later replaces the oldest. */
export const MAX_SPOTS = 5000;
/** An old spot is of no use: bands change, stations leave. */
export const MAX_AGE_MS = 3_600_000;

/** What the filter can choose, with numbers of spots. */
export interface SpotCounts {
  readonly bands: readonly Count[];
  readonly modes: readonly Count[];
  readonly continents: readonly Count[];
}

export interface SpotStore {
  /** In the order of their arrival. */
  readonly spots: readonly LiveSpot[];
  add(spots: readonly LiveSpot[]): void;
  /** Replaces what is needed, by id; spots that are gone are skipped. */
  setNeeded(needed: ReadonlyMap<number, readonly Needed[] | undefined>): void;
  /** Drops what is too old. @returns Whether there was any. */
  expire(now: number): boolean;
  /** The newest first. The same array as before, unless something has changed. */
  shown(filter: SpotFilter): readonly LiveSpot[];
  counts(): SpotCounts;
  clear(): void;
}

export function createSpotStore(): SpotStore {
  let spots: LiveSpot[] = [];
  let shown: { readonly filter: SpotFilter; readonly list: readonly LiveSpot[] } | undefined;
  let counts: SpotCounts | undefined;
  const replace = (next: LiveSpot[]) => {
    spots = next;
    shown = undefined;
    counts = undefined;
  };
  return {
    get spots() {
      return spots;
    },
    add: (added) => replace([...spots, ...added].slice(-MAX_SPOTS)),
    setNeeded: (needed) =>
      replace(spots.map((spot) => (needed.has(spot.id) ? { ...spot, needed: needed.get(spot.id) } : spot))),
    expire(now) {
      const young = spots.filter(({ time }) => now - time <= MAX_AGE_MS);
      if (young.length === spots.length) return false;
      replace(young);
      return true;
    },
    shown(filter) {
      if (shown?.filter !== filter)
        shown = { filter, list: spots.filter((spot) => isShown(spot, filter)).toReversed() };
      return shown.list;
    },
    counts() {
      counts ??= {
        bands: countsOf(spots, "band").sort((a, b) => orderOf(a.name) - orderOf(b.name)),
        modes: countsOf(spots, "mode").sort((a, b) => b.qsos - a.qsos || (a.name < b.name ? -1 : 1)),
        continents: countsOf(spots, "spotterContinent").sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
      return counts;
    },
    clear: () => replace([]),
  };
}

function countsOf(spots: readonly LiveSpot[], key: "band" | "mode" | "spotterContinent"): Count[] {
  const numbers = new Map<string, number>();
  for (const spot of spots) {
    const name = spot[key];
    if (name !== "") numbers.set(name, (numbers.get(name) ?? 0) + 1);
  }
  return Array.from(numbers, ([name, qsos]) => ({ name, qsos }));
}

function orderOf(band: string): number {
  const index = BANDS.indexOf(band);
  return index < 0 ? BANDS.length : index;
}
