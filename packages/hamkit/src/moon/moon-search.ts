/** Searches moments: the next moonrise and moonset, and the times in which two places see the moon. */
import type { Position } from "../geo/position.js";
import { directionOfMoon } from "./moon-position.js";

/** The next moonrise and moonset after a moment; `null` where there is none within `MAX_DAYS`. */
export interface MoonTimes {
  readonly moonrise: Date | null;
  readonly moonset: Date | null;
}

/** A time in which two places see the moon. */
export interface MoonWindow {
  /** The moon rises at the second of the places, or the search begins. */
  readonly start: Date;
  /** The moon sets at the first of the places, or the search ends. */
  readonly end: Date;
}

export const DAY_MS = 86_400_000;
/** Longer than the moon is up or down at a pole. */
const MAX_DAYS = 28;
/** What is shorter may be missed: a moon that touches the horizon. */
const STEP_MS = 600_000;
/** The end of a search: a tenth of a second. */
const RESOLUTION_MS = 100;

const RADIANS = Math.PI / 180;
/** Radius of the moon in km, and average refraction on the horizon in degrees, as in the almanacs. */
const RADIUS_KM = 1737.4;
const REFRACTION = 34 / 60;

export function moonTimes(position: Position, afterMs: number): MoonTimes {
  // The upper limb is seen on the horizon.
  const isUp = (ms: number) => {
    const { elevation, distanceKm } = directionOfMoon(position, ms);
    return elevation + Math.asin(RADIUS_KM / distanceKm) / RADIANS + REFRACTION >= 0;
  };
  const moments = { rise: undefined as number | undefined, set: undefined as number | undefined };
  const end = afterMs + MAX_DAYS * DAY_MS;
  for (const { ms, begins } of changesOf(isUp, afterMs, end)) {
    if (begins) moments.rise ??= ms;
    else moments.set ??= ms;
    if (moments.rise !== undefined && moments.set !== undefined) break;
  }
  return { moonrise: dateOf(moments.rise), moonset: dateOf(moments.set) };
}

/** The times within a period in which the moon's center is at least at an elevation at both places. */
export function windowsBetween(
  places: readonly Position[],
  period: { readonly start: number; readonly end: number },
  minElevation: number,
): MoonWindow[] {
  const isSeen = (ms: number) =>
    places.every((place) => directionOfMoon(place, ms).elevation >= minElevation);
  const windows: MoonWindow[] = [];
  let start = isSeen(period.start) ? period.start : undefined;
  for (const { ms, begins } of changesOf(isSeen, period.start, period.end)) {
    if (begins) start = ms;
    else if (start !== undefined) {
      windows.push({ start: new Date(start), end: new Date(ms) });
      start = undefined;
    }
  }
  return start === undefined ? windows : [...windows, { start: new Date(start), end: new Date(period.end) }];
}

/** When something begins and ends, in order. */
function* changesOf(
  isTrue: (ms: number) => boolean,
  start: number,
  end: number,
): Generator<{ readonly ms: number; readonly begins: boolean }> {
  let before = isTrue(start);
  for (let from = start; from < end; from += STEP_MS) {
    const to = Math.min(from + STEP_MS, end);
    const after = isTrue(to);
    if (after !== before) yield { ms: changeBetween(isTrue, from, to, after), begins: after };
    before = after;
  }
}

function changeBetween(isTrue: (ms: number) => boolean, from: number, to: number, after: boolean): number {
  let [earliest, latest] = [from, to];
  while (latest - earliest > RESOLUTION_MS) {
    const middle = (earliest + latest) / 2;
    if (isTrue(middle) === after) latest = middle;
    else earliest = middle;
  }
  return Math.round(latest);
}

function dateOf(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms);
}
