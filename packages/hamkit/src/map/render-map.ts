/** Renders a map as an SVG document, layer by layer from back to front. */
import { drawCaption } from "./caption.js";
import { createChart, pointOnDisk, type Chart } from "./drawing/chart.js";
import { readCoastline, type Land } from "./drawing/coastline.js";
import { drawRings, drawRose } from "./layers/compass-rose.js";
import type { EntityAreas } from "./layers/entity-outlines.js";
import { drawEntities, MAP_ID } from "./layers/entity-layer.js";
import { drawPaths } from "./layers/path-layer.js";
import { drawSquares } from "./layers/square-layer.js";
import { drawZones } from "./layers/zone-drawing.js";
import type { ZoneLines } from "./layers/zone-layer.js";
import { drawLocatorGrid } from "./layers/locator-grid.js";
import type { MapRequest } from "./map-options.js";
import { nightArea, subsolarPoint } from "./night.js";
import { routesOf, type Route } from "./route.js";
import { alongLine, boxAround, centerOf, contains, px, type Drawing } from "./drawing/shape.js";
import { drawStations } from "./layers/stations.js";
import { styleSheet } from "./style.js";
import { escapeText } from "./svg-text.js";
import { mapDescription, mapTitle } from "./map-text.js";

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

function hasLayers({ squares, entities, paths, zones }: MapRequest): boolean {
  return squares.size > 0 || entities.length > 0 || paths.length > 0 || zones !== undefined;
}

/** Borders that are only loaded for maps that show them. */
export interface Geography {
  readonly zones?: ZoneLines | undefined;
  readonly areas?: EntityAreas | undefined;
}

interface Canvas extends Geography {
  readonly chart: Chart;
}

/** Sea, land, night, layers, grid and routes, with labels on top. */
function drawGlobe(request: MapRequest, routes: readonly Route[], { chart, zones, areas }: Canvas): string {
  const { disk, trace, unit, degreesPerPixel } = chart;
  coastline ??= readCoastline();
  const globe = trace({ type: "Sphere" });
  const sun = request.date === undefined ? EMPTY : drawSun(request.date, chart);
  const lines = routes.map(({ points }) => points.map(chart.locate));
  const onMap = { x: 0, y: 0, width: chart.width, height: chart.height };
  const onRoutes = lines.flat().filter((point) => contains(onMap, point));
  const rings =
    disk === undefined ? EMPTY : drawRings(disk, [...onRoutes, ...sun.boxes.map(centerOf)], 10 * unit);
  const rose = disk === undefined ? EMPTY : drawRose(disk, routes, unit);
  const obstacles = [...sun.boxes, ...rings.boxes, ...rose.boxes];
  const strokes = onRoutes.map((point) => boxAround(point, 5 * unit, 5 * unit));
  // Denser than the points of a route, of which a short one has only its ends.
  const inked = lines
    .flatMap((points) => alongLine(points, 3 * unit, 90 / degreesPerPixel))
    .filter((point) => contains(onMap, point));
  const stations = drawStations(request, inked, chart, obstacles);
  const taken = [...obstacles, ...stations.boxes];
  const entities =
    areas === undefined ? { areas: "", dots: "" } : drawEntities(request.entities, areas, chart);
  const borders = zones === undefined ? EMPTY : drawZones(zones, chart, 11 * unit, taken);
  return [
    `<path class="sea" d="${globe}"/><path class="land" d="${trace(coastline)}"/>`,
    entities.areas,
    request.date === undefined ? "" : drawNight(request.date, request.twilight, chart),
    drawSquares(request.squares, chart),
    entities.dots,
    borders.svg,
    request.grid ? drawLocatorGrid(chart, 10 * unit, [...taken, ...borders.boxes, ...strokes]) : "",
    `<path class="edge" d="${globe}"/>`,
    sun.svg,
    drawPaths(request.paths, chart).svg,
    ...routes.map((route) => drawRoute(route, chart)),
    rings.svg,
    rose.svg,
    stations.svg,
  ].join("");
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

function drawRoute({ kind, points }: Route, { trace }: Chart): string {
  const coordinates = points.map(({ latitude, longitude }): [number, number] => [longitude, latitude]);
  const data = trace({ type: "LineString", coordinates });
  return `<path class="casing" d="${data}"/><path class="route ${kind}" d="${data}"/>`;
}

/** A hash of the content: FNV-1a, 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
