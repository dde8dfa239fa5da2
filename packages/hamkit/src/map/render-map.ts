/** Renders a map as an SVG document, layer by layer from back to front. */
import { drawCaption } from "./caption.js";
import { createChart, pointOnDisk, type Chart } from "./drawing/projection.js";
import { readCoastline, type Land, type Coordinates } from "./drawing/coastline.js";
import { drawRings, drawRose } from "./layers/compass-rose.js";
import type * as AreaLayers from "./layers/area-layers.js";
import { drawBeam } from "./layers/beam.js";
import { MAP_ID } from "./layers/map-id.js";
import { drawLocatorGrid } from "./layers/locator-grid.js";
import type { MapRequest } from "./map-options.js";
import { nightArea, subsolarPoint } from "./night.js";
import { routesOf, type Route } from "./route.js";
import {
  alongLine,
  boxAround,
  centerOf,
  contains,
  px,
  type Drawing,
  distanceBetween,
  overlap,
  type Box,
} from "./drawing/shape.js";
import { drawStations } from "./layers/stations.js";
import { styleSheet } from "./style.js";
import { escapeText, textWidth } from "./svg-text.js";
import { mapDescription, mapTitle } from "./map-text.js";
import { pointsAlong } from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";
import type { WeightedPath } from "./layers/map-layers.js";
import { cornerOf, runsOf, type SquareIndex, type SquareRun } from "./layers/square-index.js";
import { thinned } from "./layers/flat-line.js";
import { cutAtPoles } from "./layers/pole-cuts.js";
import type { ZoneLines } from "./layers/zone-layer.js";

/** Depression of the sun at the end of civil twilight, in degrees. */
const CIVIL_TWILIGHT = 6;

const EMPTY: Drawing = { svg: "", boxes: [] };

/** Cache, filled when the first map is drawn. */
let coastline: Land | undefined;

/**
 * The SVG document.
 *
 * @param geography What the request asks for and is loaded apart.
 */
export function renderMap(request: MapRequest, geography: Geography = {}): string {
  const chart = createChart(request);
  const routes = routesOf(request);
  const caption = request.caption ? drawCaption(request, routes, chart) : { svg: "", height: 0 };
  const width = px(chart.width);
  const height = px(chart.height + caption.height);
  const picture = `<rect class="paper" width="${width}" height="${height}"/>${framed(drawGlobe(request, routes, { chart, ...geography }), chart)}${caption.svg}`;
  const title = escapeText(request.title ?? mapTitle(request));
  const desc = escapeText(request.desc ?? mapDescription(request, routes));

  const id = request.id ?? `map-${fingerprint(`${request.theme} ${title} ${desc} ${picture}`)}`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" id="${id}" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">` +
    `<title id="${id}-title">${title}</title><desc id="${id}-desc">${desc}</desc>` +
    `<style>${styleSheet(id, { theme: request.theme, unit: chart.unit, hasLayers: hasLayers(request) })}</style>` +
    `${picture.replaceAll(MAP_ID, id)}</svg>`
  );
}

/** A section without what is beyond its edge. */
function framed(globe: string, { isSection, width, height }: Chart): string {
  if (!isSection) return globe;
  const edge = `<clipPath id="${MAP_ID}-edge"><rect width="${px(width)}" height="${px(height)}"/></clipPath>`;
  return `${edge}<g clip-path="url(#${MAP_ID}-edge)">${globe}</g>`;
}

function hasLayers({ squares, entities, paths, names, ...request }: MapRequest): boolean {
  const { zones, hasFineCoast, beam, moon } = request;
  return (
    squares.size + entities.length + paths.length + names.length > 0 ||
    [zones, beam, moon].some((layer) => layer !== undefined) ||
    hasFineCoast
  );
}

/** Borders that are only loaded for maps that show them. */
export interface Geography {
  readonly zones?: ZoneLines | undefined;
  readonly areas?: typeof AreaLayers | undefined;
}

interface Canvas extends Geography {
  readonly chart: Chart;
}

/** Sea, land, night, layers, grid and routes, with labels on top. */
function drawGlobe(request: MapRequest, routes: readonly Route[], { chart, zones, areas }: Canvas): string {
  const { disk, trace, unit, degreesPerPixel } = chart;
  const globe = trace({ type: "Sphere" });
  const sun = request.date === undefined ? EMPTY : drawSun(request.date, chart);
  const moon = request.moon === undefined ? EMPTY : drawMoon(request.moon, chart);
  const lines = routes.map(({ points }) => points.map(chart.locate));
  const onMap = { x: 0, y: 0, width: chart.width, height: chart.height };
  const onRoutes = lines.flat().filter((point) => contains(onMap, point));
  const rings =
    disk === undefined
      ? EMPTY
      : drawRings(disk, [...onRoutes, ...[...sun.boxes, ...moon.boxes].map(centerOf)], 10 * unit);
  const rose = disk === undefined ? EMPTY : drawRose(disk, routes, unit);
  const obstacles = [...sun.boxes, ...moon.boxes, ...rings.boxes, ...rose.boxes];
  const strokes = onRoutes.map((point) => boxAround(point, 5 * unit, 5 * unit));
  // Denser than the points of a route, of which a short one has only its ends.
  const inked = lines
    .flatMap((points) => alongLine(points, 3 * unit, 90 / degreesPerPixel))
    .filter((point) => contains(onMap, point));
  const stations = drawStations(request, inked, chart, obstacles);
  const taken = [...obstacles, ...stations.boxes];
  const entities =
    areas === undefined
      ? { areas: "", dots: "" }
      : areas.drawEntities(request.entities, areas.entityAreas(), chart);
  const borders = zones === undefined ? EMPTY : drawZones(zones, chart, 11 * unit, taken);
  const labeled = [...taken, ...borders.boxes];
  const names =
    areas === undefined || request.names.length === 0
      ? EMPTY
      : areas.drawNames(request.names, areas.entityAreas(), chart, 11 * unit, labeled);
  return [
    `<path class="sea" d="${globe}"/>`,
    areas !== undefined && request.hasFineCoast
      ? areas.drawLand(areas.entityAreas(), request.borders, chart)
      : drawCoarseLand(chart),
    entities.areas,
    request.date === undefined ? "" : drawNight(request.date, request.twilight, chart),
    drawSquares(request.squares, chart),
    entities.dots,
    borders.svg,
    request.grid ? drawLocatorGrid(chart, 10 * unit, [...labeled, ...names.boxes, ...strokes]) : "",
    names.svg,
    `<path class="edge" d="${globe}"/>`,
    drawBeam(request, chart),
    sun.svg,
    moon.svg,
    drawPaths(request.paths, chart).svg,
    ...routes.map((route) => drawRoute(route, chart)),
    rings.svg,
    rose.svg,
    stations.svg,
  ].join("");
}

function drawCoarseLand({ trace }: Chart): string {
  coastline ??= readCoastline();
  return `<path class="land" d="${trace(coastline)}"/>`;
}

function drawNight(date: Date, twilight: MapRequest["twilight"], { trace }: Chart): string {
  const night = nightArea(date, 0);
  const line = `<path class="terminator" d="${trace(night.edge)}"/>`;
  if (twilight === "none") return `<path class="night all" d="${trace(night.area)}"/>${line}`;
  const dark = nightArea(date, CIVIL_TWILIGHT);
  return (
    `<path class="night twilit" d="${trace(night.area)}"/>` +
    `<path class="night dark" d="${trace(dark.area)}"/>${line}`
  );
}

/** A sun symbol at the subsolar point. */
function drawSun(date: Date, { locate, unit }: Chart): Drawing {
  const center = locate(subsolarPoint(date));
  const rays = Array.from({ length: 8 }, (_, index) => {
    const from = pointOnDisk(center, index * 45, 6.5 * unit);
    const to = pointOnDisk(center, index * 45, 9 * unit);
    return `M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}`;
  });
  const disk = `<circle cx="${px(center.x)}" cy="${px(center.y)}" r="${px(4 * unit)}"/>`;
  return {
    svg: `<g class="sun">${disk}<path d="${rays.join("")}"/></g>`,
    boxes: [boxAround(center, 20 * unit, 20 * unit)],
  };
}

/** A crescent at the point below the moon. */
function drawMoon(place: Position, { locate, unit }: Chart): Drawing {
  const center = locate(place);
  const radius = px(6.5 * unit);
  const [x, top, bottom] = [px(center.x + 2 * unit), px(center.y - 6 * unit), px(center.y + 6 * unit)];
  const inner = px(7.5 * unit);
  const crescent = `M${x} ${top}A${radius} ${radius} 0 1 0 ${x} ${bottom}A${inner} ${inner} 0 0 1 ${x} ${top}z`;
  return { svg: `<path class="moon" d="${crescent}"/>`, boxes: [boxAround(center, 20 * unit, 20 * unit)] };
}

function drawRoute({ kind, points }: Route, { trace }: Chart): string {
  const data = trace({ type: "MultiLineString", coordinates: cutAtPoles(points) });
  return `<path class="casing" d="${data}"/><path class="route ${kind}" d="${data}"/>`;
}

/** A hash of the content: FNV-1a, 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** More lines than this hide the map, and each other. */
const MAX_LINES = 400;
/** Ends closer than this, in units, are one end; twice as far as often as the lines are too many. */
const CELL = 3;

/** QSOs of a line from which on it is drawn in this width. */
const WIDTHS = [
  { kind: "few", from: 1 },
  { kind: "some", from: 3 },
  { kind: "many", from: 20 },
] as const;

interface Line {
  readonly path: WeightedPath;
  qsos: number;
}

/** The lines, the dots at their ends, and the number of lines. */
function drawPaths(paths: readonly WeightedPath[], chart: Chart): { svg: string; lines: number } {
  const lines = sharedLines(paths, chart);
  if (lines.length === 0) return { svg: "", lines: 0 };
  const strokes = WIDTHS.map(({ kind, from }, index) => {
    const below = WIDTHS[index + 1]?.from ?? Infinity;
    const some = lines.filter(({ qsos }) => qsos >= from && qsos < below);
    if (some.length === 0) return "";
    const coordinates = some.flatMap(({ path }) => cutAtPoles(pointsAlong(path.from, path.to, 3, "short")));
    return `<path class="ray ${kind}" d="${chart.trace({ type: "MultiLineString", coordinates })}"/>`;
  });
  const dots = lines.map(({ path }) => {
    const { x, y } = chart.locate(path.to);
    return `M${px(x)} ${px(y)}h0`;
  });
  return { svg: `${strokes.join("")}<path class="ends" d="${dots.join("")}"/>`, lines: lines.length };
}

/** Paths whose ends are in the same cells, as one line: that of the path with most QSOs. */
function sharedLines(paths: readonly WeightedPath[], chart: Chart): readonly Line[] {
  const ends = paths.map((path) => ({ path, from: chart.locate(path.from), to: chart.locate(path.to) }));
  for (let size = CELL * chart.unit; ; size *= 2) {
    const lines = new Map<string, Line>();
    for (const { path, from, to } of ends) {
      const cells = [from.x, from.y, to.x, to.y].map((value) => Math.floor(value / size));
      const key = cells.join();
      const line = lines.get(key);
      const qsos = (line?.qsos ?? 0) + path.qsos;
      lines.set(key, line === undefined || path.qsos > line.path.qsos ? { path, qsos } : { ...line, qsos });
    }
    if (lines.size <= MAX_LINES) return Array.from(lines.values());
  }
}

/** Outlines end this far from the poles, in degrees: a parallel at a pole is a point. */
const POLE = 89.999;

/** Squares are at least so large, in units: on a map of the world they would be dots of a pixel or two. */
const MIN_SQUARE = 5;

/** A `path` for the worked squares, and one for the confirmed ones. */
function drawSquares(
  squares: ReadonlyMap<SquareIndex, boolean>,
  { trace, unit, degreesPerPixel }: Chart,
): string {
  const missing = MIN_SQUARE * unit - 1 / degreesPerPixel;
  const [small, stroke] = missing > 0 ? [" small", ` stroke-width="${px(missing)}"`] : ["", ""];
  return [false, true]
    .map((confirmed) => {
      const some = Array.from(squares).flatMap(([square, isConfirmed]) =>
        isConfirmed === confirmed ? [square] : [],
      );
      if (some.length === 0) return "";
      const coordinates = runsOf(some).map((run) => [outline(run)]);
      const kind = confirmed ? "confirmed" : "worked";
      return `<path class="square ${kind}${small}"${stroke} d="${trace({ type: "MultiPolygon", coordinates })}"/>`;
    })
    .join("");
}

/** The outline of a row, clockwise as seen from above. Great circles along 2° of a parallel are 0.01° off at the most. */
function outline({ first, count }: SquareRun): Coordinates[] {
  const { latitude, longitude } = cornerOf(first);
  const south = Math.max(latitude, -POLE);
  const north = Math.min(latitude + 1, POLE);
  const meridians = Array.from({ length: count + 1 }, (_, index) => longitude + 2 * index);
  const ring = [
    ...meridians.map((x): Coordinates => [x, north]),
    ...meridians.toReversed().map((x): Coordinates => [x, south]),
  ];
  return [...ring, [longitude, north]];
}

/** Points closer than this, in units, are left out: details of coasts, which a line of a world map can't show. */
const DETAIL = 0.8;

/** Lines and numbers; numbers that would cover others are left out. */
function drawZones(
  { lines, labels }: ZoneLines,
  chart: Chart,
  fontSize: number,
  taken: readonly Box[],
): Drawing {
  const { disk, locate, trace, unit, degreesPerPixel } = chart;
  const detail = DETAIL * unit * degreesPerPixel;
  const coordinates = lines.map((line) => thinned(line, detail));
  const boxes: Box[] = [];
  const texts = labels.flatMap(({ zone, place }) => {
    const point = locate(place);
    const box = boxAround(point, textWidth(String(zone), fontSize) + 2, 1.2 * fontSize);
    const isOutside = disk !== undefined && distanceBetween(disk.center, point) > disk.radius - fontSize;
    if (isOutside || [...taken, ...boxes].some((other) => overlap(box, other))) return [];
    boxes.push(box);
    return `<text x="${px(point.x)}" y="${px(point.y + 0.35 * fontSize)}">${zone}</text>`;
  });
  const data = trace({ type: "MultiLineString", coordinates });
  return { svg: `<path class="border" d="${data}"/><g class="zone">${texts.join("")}</g>`, boxes };
}
