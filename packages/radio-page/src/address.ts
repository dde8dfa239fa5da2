/**
 * What the page shows, as the fragment of its address, which browsers don't send to the server:
 * `#call=DL1ABC&from=JN48QM&time=2026-11-23T07:00Z&projection=azimuthal&center=48.52,9.37&zoom=4`.
 */
import type { Position } from "hamkit/locator";

import { MAX_ZOOM, isProjection, type Projection } from "./map/map-geometry.js";
import { isLocator } from "./search/is-locator.js";

export interface PageAddress {
  /** The text of the search field. */
  readonly search: string;
  /** The own locator, if the link has one. */
  readonly from?: string | undefined;
  /** The moment for the sun; without one it is now. */
  readonly time?: Date | undefined;
  readonly projection?: Projection | undefined;
  /** The section of the map; without one it shows the whole world. */
  readonly section?: MapSection | undefined;
}

/** A section of the map. */
export interface MapSection {
  readonly center: Position;
  /** From 1, the whole world, to `MAX_ZOOM`. */
  readonly zoom: number;
}

/** Reads a fragment. Parts that are not what they should be are left out. */
export function readAddress(fragment: string): PageAddress {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const from = values.get("from")?.toUpperCase();
  const projection = values.get("projection") ?? undefined;
  return {
    search: values.get("call") ?? "",
    from: from !== undefined && isLocator(from) ? from : undefined,
    time: readTime(values.get("time") ?? ""),
    projection: isProjection(projection) ? projection : undefined,
    section: readSection(values.get("center") ?? "", Number(values.get("zoom") ?? 1)),
  };
}

export function writeAddress({ search, from, time, projection, section }: PageAddress): string {
  const values = new URLSearchParams();
  if (search.trim() !== "") values.set("call", search.trim());
  if (from !== undefined) values.set("from", from);
  if (time !== undefined) values.set("time", minuteText(time));
  if (projection !== undefined) values.set("projection", projection);
  if (section !== undefined) {
    const { latitude, longitude } = section.center;
    values.set("center", `${shortest(latitude)},${shortest(longitude)}`);
    values.set("zoom", shortest(section.zoom));
  }
  return values.size === 0 ? "" : `#${values.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** A pixel at the largest zoom is 0.004°. */
function shortest(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

/** Of `48.52,9.37`; `undefined` where a number is none, or out of its range. */
function readSection(center: string, zoom: number): MapSection | undefined {
  const [, latitude = "", longitude = ""] =
    /^(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?)$/.exec(center) ?? [];
  if (latitude === "" || !(zoom >= 1 && zoom <= MAX_ZOOM)) return undefined;
  const place: Position = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180
    ? { center: place, zoom }
    : undefined;
}

/** A moment in UTC, to the minute: `2026-11-23T07:00Z`, as links and the field for the time have it. */
export function readTime(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function minuteText(date: Date): string {
  return `${date.toISOString().slice(0, 16)}Z`;
}
