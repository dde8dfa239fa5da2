/** The projection of a map: size, and conversion of positions and geometry to the drawing. */
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

/** Maximum deviation of a curve from the true one, in pixels. */
const PRECISION = 0.3;

/** The width in pixels for which font sizes and stroke widths are given, and the limit to which they shrink. */
const DEFAULT_WIDTH = 960;
const MIN_UNIT = 0.8;

const RADIANS = Math.PI / 180;

/** A projected map, in pixels. */
export interface Chart {
  readonly width: number;
  /** Of the map, without a caption. */
  readonly height: number;
  /** Scale of text, marks and strokes relative to the default width. */
  readonly unit: number;
  /** The circle of an azimuthal map: its edge is the antipode. */
  readonly disk: Disk | undefined;
  /** Projects a position. */
  readonly locate: (position: Position) => Point;
  /** Geometry as the data of a `path` element; lines are cut at the edge of the map and continue at the other side. */
  readonly trace: (geometry: GeoPermissibleObjects) => string;
}

/** A round map, with north at the top. */
export interface Disk {
  readonly center: Point;
  readonly radius: number;
  readonly middle: Position;
}

/** A chart of the requested projection and width. */
export function createChart({ projection: name, width, from }: MapRequest): Chart {
  const unit = Math.max(MIN_UNIT, Math.sqrt(width / DEFAULT_WIDTH));
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
  const radius = width / 2 - 40 * unit; // margin for the compass rose
  const center = { x: width / 2, y: width / 2 };
  const projection = geoAzimuthalEquidistant()
    .rotate([-middle.longitude, -middle.latitude])
    .scale(radius / Math.PI)
    .translate([center.x, center.y])
    .precision(PRECISION);

  // By distance and heading, which defines the projection and is also correct at the antipode, the whole edge.
  const locate = (position: Position) => {
    const away = (distanceKm(middle, position) / (Math.PI * EARTH_RADIUS_KM)) * radius;
    return pointOnDisk(center, headingDegrees(middle, position), away);
  };
  const disk = { center, radius, middle };
  return { width, height: width, unit, disk, locate, trace: tracer(projection) };
}

/** The point at a distance and heading from a center: degrees clockwise from the top. */
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
