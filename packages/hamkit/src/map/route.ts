/** The ways between two stations: length, direction, and the line to draw. */
import {
  CIRCUMFERENCE_KM,
  distanceKm,
  EARTH_RADIUS_KM,
  headingDegrees,
  pointsAlong,
} from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";
import type { MapRequest } from "./map-options.js";

/** A point at least every so many km: 2°, far less than where great circles between points are in doubt. */
const STEP_KM = (2 / 180) * Math.PI * EARTH_RADIUS_KM;

/** Places closer than a meter are one, and antipodes closer than a meter are antipodes. */
const NEGLIGIBLE_KM = 0.001;

/** A way from one station to the other. */
export interface Route {
  readonly kind: "short" | "long";
  readonly distanceKm: number;
  /** Degrees from north over east, 0 <= heading < 360; `undefined` where every direction is right. */
  readonly heading: number | undefined;
  readonly points: readonly Position[];
}

/** The ways that a map shows: none unless both stations are given. There is no long way from a place to itself. */
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
