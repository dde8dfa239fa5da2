/** Formats coordinates, headings and distances. */
import type { Position } from "../../geo/position.js";

const POINTS = [
  "N",
  "NNE",
  "NE",
  "ENE",
  "E",
  "ESE",
  "SE",
  "SSE",
  "S",
  "SSW",
  "SW",
  "WSW",
  "W",
  "WNW",
  "NW",
  "NNW",
];

/** International mile, in km: exact by definition. */
const MILE_KM = 1.609344;

/** "48.52° N, 9.38° E" */
export function positionText({ latitude, longitude }: Position, digits: number): string {
  return `${latitudeText(latitude, digits)}, ${longitudeText(longitude, digits)}`;
}

export function latitudeText(latitude: number, digits: number): string {
  return `${Math.abs(latitude).toFixed(digits)}° ${latitude < 0 ? "S" : "N"}`;
}

export function longitudeText(longitude: number, digits: number): string {
  return `${Math.abs(longitude).toFixed(digits)}° ${longitude < 0 ? "W" : "E"}`;
}

/** "14", "14 or 15", "none" */
export function zoneText(zones: readonly number[]): string {
  return zones.length === 0 ? "none" : zones.join(" or ");
}

/** The nearest of the 16 compass points to a heading in degrees: "NNE". */
export function compassPoint(heading: number): string {
  return POINTS[Math.round(heading / 22.5) % 16] ?? "";
}

export function milesOf(distanceKm: number): number {
  return distanceKm / MILE_KM;
}
