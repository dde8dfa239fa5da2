/** The texts of a map: title, description, and formatted figures. */
import type { MapRequest } from "./map-options.js";
import type { Route } from "./route.js";

/** "Great circle from JN48QM to FN31PR" */
export function mapTitle({ from, to, date }: MapRequest): string {
  if (from !== undefined && to !== undefined) return `Great circle from ${from.name} to ${to.name}`;
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
  const night = request.date === undefined ? [] : [`Day and night at ${momentText(request.date)}.`];
  const grid = request.grid ? ["Locator fields."] : [];
  return [kinds[request.projection], ...paths, ...night, ...grid].join(" ");
}

/** "6,169 km · 296°" */
export function routeFigures({ distanceKm, heading }: Route): string {
  return kilometers(distanceKm) + (heading === undefined ? "" : ` · ${degrees(heading)}`);
}

/** Kilometers with thousands separators; below 100 km with one decimal place. */
export function kilometers(km: number): string {
  const digits = km < 99.95 ? km.toFixed(1).replace(/\.0$/, "") : km.toFixed(0);
  return `${digits.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ",")} km`;
}

/** "2014-01-01 12:00 UTC" */
export function momentText(date: Date): string {
  return `${date
    .toISOString()
    .replace("T", " ")
    .replace(/:\d\d\.\d+Z$/, "")} UTC`;
}

function degrees(heading: number): string {
  return `${Math.round(heading) % 360}°`;
}
