/** The globe laid flat: projection, size, and where places are on the drawing. */
import {
  geoAzimuthalEquidistant,
  geoEquirectangular,
  geoNaturalEarth1,
  geoPath,
  type GeoPermissibleObjects,
  type GeoProjection,
} from "d3-geo";

import { distanceKm, EARTH_RADIUS_KM, headingDegrees } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import { createPathText } from "./path-text.js";
import type { MapRequest } from "../map-options.js";
import type { Point } from "./shape.js";

/** How far a curve may be from the true one, in pixels. */
const PRECISION = 0.3;

/** The width for which sizes of text and lines are given, in pixels; on small maps they shrink no further than this. */
const USUAL_WIDTH = 960;
const MIN_UNIT = 0.8;

const RADIANS = Math.PI / 180;

/** The globe laid flat, in pixels. */
export interface Chart {
  readonly width: number;
  /** Of the map, without a caption. */
  readonly height: number;
  /** Pixels that a pixel of the usual width has become: for text, marks and strokes. */
  readonly unit: number;
  /** The edge of an azimuthal map: places as far away as can be. */
  readonly disk: Disk | undefined;
  /** Where a place is. */
  readonly locate: (position: Position) => Point;
  /** Geometry as the data of a `path` element; lines are cut where the map ends and go on at its other side. */
  readonly trace: (geometry: GeoPermissibleObjects) => string;
}

/** A round map, with north at the top. */
export interface Disk {
  readonly center: Point;
  readonly radius: number;
  readonly middle: Position;
}

/** A chart as wide as asked for. */
export function createChart({ projection: name, width, from }: MapRequest): Chart {
  const unit = Math.max(MIN_UNIT, Math.sqrt(width / USUAL_WIDTH));
  if (name === "azimuthal" && from !== undefined) return azimuthalChart(width, unit, from.position);
  const margin = 12 * unit;
  const projection = name === "natural-earth" ? geoNaturalEarth1() : geoEquirectangular();
  projection.precision(PRECISION).fitWidth(width - 2 * margin, { type: "Sphere" });
  const [x, y] = projection.translate();
  projection.translate([x + margin, y + margin]);
  const [, [, bottom]] = geoPath(projection).bounds({ type: "Sphere" });

  const locate = ({ latitude, longitude }: Position) => {
    const [px, py] = projection([longitude, latitude]) ?? [0, 0];
    return { x: px, y: py };
  };
  return { width, height: bottom + margin, unit, disk: undefined, locate, trace: tracer(projection) };
}

function azimuthalChart(width: number, unit: number, middle: Position): Chart {
  const radius = width / 2 - 40 * unit; // leaves room for the rose
  const center = { x: width / 2, y: width / 2 };
  const projection = geoAzimuthalEquidistant()
    .rotate([-middle.longitude, -middle.latitude])
    .scale(radius / Math.PI)
    .translate([center.x, center.y])
    .precision(PRECISION);

  // By distance and heading, as the map is defined: also right at the antipode, which is everywhere on the edge.
  const locate = (position: Position) => {
    const away = (distanceKm(middle, position) / (Math.PI * EARTH_RADIUS_KM)) * radius;
    return pointOnDisk(center, headingDegrees(middle, position), away);
  };
  const disk = { center, radius, middle };
  return { width, height: width, unit, disk, locate, trace: tracer(projection) };
}

/** The point in this direction from a center: degrees clockwise from the top. */
export function pointOnDisk(center: Point, heading: number, away: number): Point {
  return {
    x: center.x + away * Math.sin(heading * RADIANS),
    y: center.y - away * Math.cos(heading * RADIANS),
  };
}

function tracer(projection: GeoProjection): Chart["trace"] {
  return (geometry) => {
    const pathText = createPathText();
    geoPath(projection, pathText)(geometry);
    return pathText.read();
  };
}
