/** Where spots are on the stage, how old they look, and which one was clicked. */
import { pointOf, type Point, type StageView } from "../map/map-geometry.js";
import type { LiveSpot } from "./live-spot.js";

/** From the newest to the oldest, in minutes: an age class ends there. */
const AGES = [5, 15, 30] as const;
/** Of each class, from opaque to faint. */
export const OPACITIES = [1, 0.75, 0.5, 0.3] as const;
/** Stations of one country would cover each other in its middle: each is moved by up to so many pixels. */
const SPREAD = 9;
/** A click so near to a spot means it, in pixels. */
const NEAR = 9;
const MINUTE_MS = 60_000;

/** An index into `OPACITIES`. */
export function ageClass(time: number, now: number): number {
  const minutes = (now - time) / MINUTE_MS;
  const found = AGES.findIndex((limit) => minutes < limit);
  return found < 0 ? AGES.length : found;
}

/** `undefined` without a place. A spot that has no place of its own is always moved by the same way. */
export function spotPoint(view: StageView, spot: LiveSpot): Point | undefined {
  const { latitude, longitude, isExact, dx } = spot;
  if (latitude === undefined || longitude === undefined) return undefined;
  const point = pointOf(view, { latitude, longitude });
  if (isExact) return point;
  const hash = hashOf(dx);
  const angle = ((hash % 360) / 180) * Math.PI;
  const radius = (SPREAD * ((hash >>> 9) % 100)) / 100;
  return { x: point.x + radius * Math.cos(angle), y: point.y + radius * Math.sin(angle) };
}

/** The spot at a point: the nearest one, of equal ones the newest. */
export function spotAt(view: StageView, spots: readonly LiveSpot[], { x, y }: Point): LiveSpot | undefined {
  let nearest: LiveSpot | undefined;
  let least = NEAR;
  for (const spot of spots) {
    const point = spotPoint(view, spot);
    if (point === undefined) continue;
    const away = Math.hypot(point.x - x, point.y - y);
    if (away < least) [nearest, least] = [spot, away];
  }
  return nearest;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
