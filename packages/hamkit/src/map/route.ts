/** Computes the paths between two stations: length, heading, and the points of the line. */
import {
  CIRCUMFERENCE_KM,
  distanceKm,
  EARTH_RADIUS_KM,
  headingDegrees,
  pointsAlong,
} from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";
import type { MapRequest } from "./map-options.js";

/** Maximum distance of two points: 2°, well below half a turn, where the great circle would be ambiguous. */
const STEP_KM = (2 / 180) * Math.PI * EARTH_RADIUS_KM;

/** Points closer than a meter are the same point, and points within a meter of the antipode are antipodes. */
const NEGLIGIBLE_KM = 0.001;

/** A path from one station to the other. */
export interface Route {
  readonly kind: "short" | "long";
  readonly distanceKm: number;
  /** Degrees clockwise from north, 0 <= heading < 360; `undefined` if every heading is correct. */
  readonly heading: number | undefined;
  readonly points: readonly Position[];
}

/** The paths of a map: none unless both stations are given, and no long path from a point to itself. */
export function routesOf({ from, to, longpath }: MapRequest): Route[] {
  if (from === undefined || to === undefined) return [];
  const short = distanceKm(from.position, to.position);
  const isSamePlace = short < NEGLIGIBLE_KM;
  const isAntipode = CIRCUMFERENCE_KM / 2 - short < NEGLIGIBLE_KM;
  const heading = isSamePlace || isAntipode ? undefined : headingDegrees(from.position, to.position);

  const route = (kind: Route["kind"], km: number, direction: number | undefined): Route => {
    const count = Math.ceil(km / STEP_KM) + 2;
    const points = pointsAlong(from.position, to.position, count, kind);
    return { kind, distanceKm: km, heading: direction, points };
  };
  const routes = [route("short", short, heading)];
  if (longpath && !isSamePlace)
    routes.push(
      route("long", CIRCUMFERENCE_KM - short, heading === undefined ? undefined : (heading + 180) % 360),
    );
  return routes;
}
