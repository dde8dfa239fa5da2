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
import { capAt, type Cap } from "../layers/cap.js";
import { createPathText } from "./path-text.js";
import type { MapRequest } from "../map-options.js";
import type { MapFrame } from "../map-view.js";
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
  /** Whether the map has an edge of its own, beyond which nothing is drawn: that of a section. */
  readonly isSection: boolean;
  /** What a section shows is within it; `undefined` for the whole world. */
  readonly cap: Cap | undefined;
  /** Along the equator, or from the center of an azimuthal map. */
  readonly degreesPerPixel: number;
  /** The circle of an azimuthal map: its edge is the antipode. */
  readonly disk: Disk | undefined;
  /** The longitude in the middle of a map that is not azimuthal: it begins and ends 180° from there. */
  readonly meridian: number;
  /** Projects a position. */
  readonly locate: (position: Position) => Point;
  /** The same for a longitude relative to `meridian`, from -180 to 180, of which these two are different points. */
  readonly locateFrom: (position: Position) => Point;
  /** Geometry as the data of a `path` element; lines are cut at the edge of the map and continue at the other side. */
  readonly trace: (geometry: GeoPermissibleObjects) => string;
}

/** A round map, with north at the top. */
export interface Disk {
  readonly center: Point;
  readonly radius: number;
  readonly middle: Position;
}

/** Lines are drawn this far beyond the edge of a section, in pixels, so that no area has an outline there. */
const BLEED = 10;

/** A chart of the requested projection, size and section. */
export function createChart({ projection: name, width, from, frame }: MapRequest): Chart {
  const unit = frame === undefined ? Math.max(MIN_UNIT, Math.sqrt(width / DEFAULT_WIDTH)) : 1;
  if (name === "azimuthal" && from !== undefined) return azimuthalChart(width, unit, from.position, frame);
  const create = name === "natural-earth" ? geoNaturalEarth1 : geoEquirectangular;
  if (frame !== undefined) return sectionChart(create, width, frame);
  const margin = 12 * unit;
  const projection = create();
  projection.precision(PRECISION).fitWidth(width - 2 * margin, { type: "Sphere" });
  const [x, y] = projection.translate();
  projection.translate([x + margin, y + margin]);
  const [, [, bottom]] = geoPath(projection).bounds({ type: "Sphere" });
  const locate = locator(projection);
  return {
    width,
    height: bottom + margin,
    unit,
    isSection: false,
    cap: undefined,
    degreesPerPixel: 360 / width,
    disk: undefined,
    meridian: 0,
    locate,
    locateFrom: locate,
    trace: tracer(projection),
  };
}

/** A section: the world is turned around its axis, moved up or down, and cut at the frame. */
function sectionChart(
  create: typeof geoEquirectangular,
  width: number,
  { height, zoom, center = { latitude: 0, longitude: 0 } }: MapFrame,
): Chart {
  const fitted = create().fitSize([width, height], { type: "Sphere" });
  const scale = fitted.scale() * zoom;
  const straight = create()
    .scale(scale)
    .translate([width / 2, height / 2]);
  const [, y = 0] = straight([0, center.latitude]) ?? [];
  straight.translate([width / 2, height - y]);
  const turned = create()
    .scale(scale)
    .translate(straight.translate())
    .rotate([-center.longitude, 0])
    .precision(PRECISION)
    .clipExtent(extent(width, height));
  return {
    width,
    height,
    unit: 1,
    isSection: true,
    cap: create === geoEquirectangular ? capOf({ width, height }, center, 1 / (scale * RADIANS)) : undefined,
    degreesPerPixel: 1 / (scale * RADIANS),
    disk: undefined,
    meridian: center.longitude,
    locate: locator(turned),
    locateFrom: locator(straight),
    trace: tracer(turned),
  };
}

function azimuthalChart(width: number, unit: number, middle: Position, frame: MapFrame | undefined): Chart {
  const { height = width, zoom = 1, center: shown = middle } = frame ?? {};
  const radius = (Math.min(width, height) / 2 - 40 * unit) * zoom; // margin for the compass rose
  // By distance and heading, which defines the projection and is also correct at the antipode, the whole edge.
  const locateAround = (center: Point, position: Position) => {
    const away = (distanceKm(middle, position) / (Math.PI * EARTH_RADIUS_KM)) * radius;
    return pointOnDisk(center, headingDegrees(middle, position), away);
  };
  const { x, y } = locateAround({ x: 0, y: 0 }, shown);
  const center = { x: width / 2 - x, y: height / 2 - y };
  const projection = geoAzimuthalEquidistant()
    .rotate([-middle.longitude, -middle.latitude])
    .scale(radius / Math.PI)
    .translate([center.x, center.y])
    .precision(PRECISION);
  if (frame !== undefined) projection.clipExtent(extent(width, height));
  const locate = (position: Position) => locateAround(center, position);
  return {
    width,
    height,
    unit,
    isSection: frame !== undefined,
    cap: frame === undefined ? undefined : capOf({ width, height }, shown, 180 / radius),
    degreesPerPixel: frame === undefined ? 360 / width : 180 / radius,
    disk: { center, radius, middle },
    meridian: 0,
    locate,
    locateFrom: locate,
    trace: tracer(projection),
  };
}

/** These projections never show less than a pixel between places that are `degreesPerPixel` apart. */
function capOf(size: { width: number; height: number }, center: Position, degreesPerPixel: number): Cap {
  const degrees = (Math.hypot(size.width, size.height) / 2 + BLEED) * degreesPerPixel;
  return capAt([center.longitude, center.latitude], degrees);
}

function extent(width: number, height: number): [[number, number], [number, number]] {
  return [
    [-BLEED, -BLEED],
    [width + BLEED, height + BLEED],
  ];
}

function locator(projection: GeoProjection): Chart["locate"] {
  return ({ latitude, longitude }) => {
    const [x, y] = projection([longitude, latitude]) ?? [0, 0];
    return { x, y };
  };
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
