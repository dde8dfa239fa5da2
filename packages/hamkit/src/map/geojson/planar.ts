/** Converts geometry on the globe to lines and rings in longitude and latitude, cut at 180°. */
import { geoEquirectangular, geoStream, type GeoPermissibleObjects } from "d3-geo";

import type { LongitudeLatitude } from "../../zones/zone-polygons.js";

/** Maximum deviation of lines from great circles, in degrees: about 2 km. */
const PRECISION = 0.02;

/** The lines of a geometry: several if it crosses 180°. */
export function planarLines(geometry: GeoPermissibleObjects): LongitudeLatitude[][] {
  return parts(geometry).filter((line) => line.length > 1);
}

/** The rings of an area without holes: closed, counterclockwise. */
export function planarRings(geometry: GeoPermissibleObjects): LongitudeLatitude[][] {
  return parts(geometry).flatMap((ring) => {
    const [first] = ring;
    if (first === undefined || ring.length < 3) return [];
    const closed = [...ring, first];
    return [counterclockwise(closed)];
  });
}

function parts(geometry: GeoPermissibleObjects): LongitudeLatitude[][] {
  const lines: LongitudeLatitude[][] = [];
  const projection = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .precision(PRECISION);
  const sink = {
    point: (x: number, y: number) => void lines.at(-1)?.push([rounded(x), rounded(-y)]),
    lineStart: () => void lines.push([]),
    lineEnd() {},
    polygonStart() {},
    polygonEnd() {},
    sphere() {},
  };
  geoStream(geometry, projection.stream(sink));
  return lines;
}

/** To a meter. */
export function rounded(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5 + 0;
}

/** A closed ring in the direction that RFC 7946 requires of outer rings. */
export function counterclockwise(ring: LongitudeLatitude[]): LongitudeLatitude[] {
  let doubled = 0;
  for (const [index, [x, y]] of ring.entries()) {
    const [x0, y0] = ring[index - 1] ?? [x, y];
    doubled += x0 * y - x * y0;
  }
  return doubled < 0 ? ring.toReversed() : ring;
}
