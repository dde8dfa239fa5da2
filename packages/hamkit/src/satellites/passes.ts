/** Searches the passes of a satellite over a place. */
import { ValueError } from "../errors.js";
import type { SatelliteLook } from "./satellite-look.js";

/** Options of `passes`. */
export interface PassesOptions {
  /** The first moment. */
  readonly from: Date;
  /** Hours from there; 24 when left out, 240 at most. */
  readonly hours?: number | undefined;
  /** Passes that rise above this elevation, in degrees; 0 when left out. Rise and set are at the horizon. */
  readonly minElevation?: number | undefined;
}

/** A pass over a place. */
export interface SatellitePass {
  /** Crossing the horizon upwards; absent where the satellite is up at the beginning of the search. */
  readonly rise?: SatelliteLook;
  /** The highest point. */
  readonly culmination: SatelliteLook;
  /** Crossing the horizon downwards; absent where it is still up at the end. */
  readonly set?: SatelliteLook;
}

/** A time in which several places see the satellite at once. */
export interface SharedPass {
  /** When the last of the places sees it, with how each sees it, in their order; absent where it is shared at the beginning of the search. */
  readonly begin?: readonly SatelliteLook[];
  /** When it is highest where it is lowest. */
  readonly best: readonly SatelliteLook[];
  /** When the first place loses it; absent where it is shared at the end of the search. */
  readonly end?: readonly SatelliteLook[];
}

type LookAt = (at: Date) => SatelliteLook | undefined;

interface Search extends PassesOptions {
  readonly meanMotion: number;
}

const MINUTE_MS = 60_000;
const MAX_HOURS = 240;
/** Rise and set are found to this. */
const PRECISION_MS = 20;

/** @throws {ValueError} An option is out of its range. */
export function findPasses(lookAt: LookAt, search: Search): readonly SatellitePass[] {
  const { from, hours = 24, minElevation = 0, meanMotion } = search;
  if (!(from instanceof Date) || Number.isNaN(from.getTime()))
    throw new ValueError({ argument: "from", value: from, expected: "a moment" });
  if (!(hours > 0 && hours <= MAX_HOURS))
    throw new ValueError({ argument: "hours", value: hours, expected: `more than 0, ${MAX_HOURS} at most` });
  if (!(minElevation >= 0 && minElevation < 90))
    throw new ValueError({ argument: "minElevation", value: minElevation, expected: "degrees from 0 to 90" });
  const begin = from.getTime();
  const end = begin + hours * 60 * MINUTE_MS;
  // A hundredth of a revolution: half a minute to a minute in low orbit.
  const step = Math.min(((24 * 60) / meanMotion / 100) * MINUTE_MS, 5 * MINUTE_MS);
  const elevationAt = (time: number) => lookAt(new Date(time))?.elevation ?? Number.NaN;

  const passes: SatellitePass[] = [];
  let rise: number | undefined;
  let isUp = elevationAt(begin) >= 0;
  let start = begin;
  let previous = elevationAt(begin);
  let beforePrevious = Number.NaN;

  function finish(until: number, set: number | undefined): void {
    const top = highest(elevationAt, isUp ? (rise ?? start) : start, until, step);
    const culmination = lookAt(new Date(top));
    if (culmination === undefined || culmination.elevation < minElevation) return;
    passes.push({
      ...(rise !== undefined && { rise: lookAt(new Date(rise)) as SatelliteLook }),
      culmination,
      ...(set !== undefined && { set: lookAt(new Date(set)) as SatelliteLook }),
    });
  }

  for (let time = begin + step; time < end + step; time += step) {
    const now = Math.min(time, end);
    const elevation = elevationAt(now);
    if (Number.isNaN(elevation)) break;
    if (!isUp && elevation >= 0) {
      rise = crossing(elevationAt, now - step, now);
      start = rise;
      isUp = true;
    } else if (isUp && elevation < 0) {
      const set = crossing(elevationAt, now - step, now);
      finish(set, set);
      rise = undefined;
      isUp = false;
    } else if (!isUp && previous > beforePrevious && previous > elevation) {
      // A pass between two steps.
      const top = golden(elevationAt, now - 2 * step, now);
      if (elevationAt(top) >= 0) {
        rise = start = crossing(elevationAt, now - 2 * step, top);
        const set = crossing(elevationAt, top, now);
        isUp = true;
        finish(set, set);
        rise = undefined;
        isUp = false;
      }
    }
    beforePrevious = previous;
    previous = elevation;
  }
  if (isUp) finish(end, undefined);
  return passes;
}

type LooksAt = (at: Date) => readonly SatelliteLook[] | undefined;

/**
 * What several places see is above the horizon where it is lowest: a pass of the lowest look.
 *
 * @throws {ValueError} An option is out of its range.
 */
export function findSharedPasses(looksAt: LooksAt, search: Search): readonly SharedPass[] {
  const lowest = (at: Date) =>
    looksAt(at)?.reduce((low, look) => (look.elevation < low.elevation ? look : low));
  const looks = ({ time }: SatelliteLook) => looksAt(time) as readonly SatelliteLook[];
  return findPasses(lowest, search).map(({ rise, culmination, set }) =>
    Object.assign(
      { best: looks(culmination) },
      rise === undefined ? undefined : { begin: looks(rise) },
      set === undefined ? undefined : { end: looks(set) },
    ),
  );
}

/** The moment between two at which the elevation changes its sign. */
function crossing(elevationAt: (time: number) => number, from: number, until: number): number {
  let [low, high] = [from, until];
  const isRising = elevationAt(high) >= 0;
  while (high - low > PRECISION_MS) {
    const middle = (low + high) / 2;
    if (elevationAt(middle) >= 0 === isRising) high = middle;
    else low = middle;
  }
  return Math.round((low + high) / 2);
}

/** The highest moment of a span, which may have several maxima. */
function highest(elevationAt: (time: number) => number, from: number, until: number, step: number): number {
  let best = from;
  for (let time = from; time <= until; time += step) if (elevationAt(time) > elevationAt(best)) best = time;
  return golden(elevationAt, Math.max(from, best - step), Math.min(until, best + step));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The maximum of a span that has one. */
function golden(elevationAt: (time: number) => number, from: number, until: number): number {
  let [low, high] = [from, until];
  while (high - low > PRECISION_MS) {
    const [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    if (elevationAt(left) > elevationAt(right)) high = right;
    else low = left;
  }
  return Math.round((low + high) / 2);
}
