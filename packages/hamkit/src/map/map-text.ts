/** The texts of a map: title, description, and formatted figures. */
import { positionToLocator } from "../geo/locator.js";
import type { MapRequest } from "./map-options.js";
import type { MapFrame } from "./map-view.js";
import type { Route } from "./route.js";

/** "Great circle from JN48QM to FN31PR" */
export function mapTitle(request: MapRequest): string {
  const { from, to, date } = request;
  if (from !== undefined && to !== undefined) return `Great circle from ${from.name} to ${to.name}`;
  const summary = Object.values(layerCounts(request)).filter((text) => text !== undefined);
  if (summary.length > 0) return `World map with ${summary.join(", ")}`;
  const only = from ?? to;
  if (only !== undefined) return `World map with ${only.name}`;
  return date === undefined ? "World map" : "World map with day and night";
}

/** A description of the map in sentences. */
export function mapDescription(request: MapRequest, routes: readonly Route[]): string {
  const kinds = {
    equirectangular: "Equirectangular world map.",
    "natural-earth": "World map in the Natural Earth projection.",
    azimuthal: `Azimuthal equidistant world map centered on ${request.from?.name ?? ""}.`,
  };
  const paths = routes.map(
    ({ kind, distanceKm, heading }) =>
      `${kind === "short" ? "Short" : "Long"} path: ${kilometers(distanceKm)}` +
      (heading === undefined ? "." : `, heading ${degrees(heading)}.`),
  );
  const night = request.date === undefined ? [] : [`Day and night at ${mapMomentText(request.date)}.`];
  const grid = request.grid ? ["Locator fields."] : [];
  const section =
    request.frame === undefined || request.frame.zoom === 1
      ? []
      : [`Enlarged ${Math.round(request.frame.zoom * 10) / 10} times${around(request.frame)}.`];
  const { confirmed, worked, lines } = layerCounts(request);
  const layers = [
    confirmed === undefined ? [] : `Confirmed: ${confirmed}.`,
    worked === undefined ? [] : `Worked and not confirmed: ${worked}.`,
    lines === undefined ? [] : `Paths: ${lines}.`,
    request.zones === undefined ? [] : `Borders of the ${zonesText(request.zones)}.`,
    request.borders ? "Borders of entities." : [],
    request.beam === undefined ? [] : `A beam of ${request.beam.width}°.`,
    request.moon === undefined ? [] : `The moon over ${positionToLocator(request.moon, 4)}.`,
  ].flat();
  return [kinds[request.projection], ...section, ...paths, ...layers, ...night, ...grid].join(" ");
}

function around({ center }: MapFrame): string {
  return center === undefined ? "" : ` around ${positionToLocator(center, 4)}`;
}

/** "120 squares, 80 entities" for each kind that the map has. */
export function layerCounts({ squares, entities, paths }: MapRequest): {
  readonly confirmed?: string | undefined;
  readonly worked?: string | undefined;
  readonly lines?: string | undefined;
} {
  const [worked, confirmed] = [false, true].map((isConfirmed) => {
    const numbers = [
      counted(
        Array.from(squares.values()).filter((each) => each === isConfirmed).length,
        "square",
        "squares",
      ),
      counted(entities.filter((entity) => entity.confirmed === isConfirmed).length, "entity", "entities"),
    ];
    return numbers.filter((text) => text !== "").join(", ") || undefined;
  });
  const qsos = paths.reduce((sum, path) => sum + path.qsos, 0);
  return { confirmed, worked, lines: counted(qsos, "QSO", "QSOs") || undefined };
}

function counted(count: number, one: string, several: string): string {
  return count === 0 ? "" : `${thousands(String(count))} ${count === 1 ? one : several}`;
}

export function zonesText(zones: "cq" | "itu"): string {
  return `${zones.toUpperCase()} zones`;
}

/** "6,169 km · 296°" */
export function routeFigures({ distanceKm, heading }: Route): string {
  return kilometers(distanceKm) + (heading === undefined ? "" : ` · ${degrees(heading)}`);
}

/** Kilometers with thousands separators; below 100 km with one decimal place. */
export function kilometers(km: number): string {
  const digits = km < 99.95 ? km.toFixed(1).replace(/\.0$/, "") : km.toFixed(0);
  return `${thousands(digits)} km`;
}

function thousands(digits: string): string {
  return digits.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}

/** "2014-01-01 12:00 UTC" */
export function mapMomentText(date: Date): string {
  return `${date
    .toISOString()
    .replace("T", " ")
    .replace(/:\d\d\.\d+Z$/, "")} UTC`;
}

function degrees(heading: number): string {
  return `${Math.round(heading) % 360}°`;
}
