/** Values of the lists' columns. */
import type { Position } from "../geo/position.js";

/** A text that is not empty. */
export function presentText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** A decimal number. */
export function numberOf(text: string): number | undefined {
  return /^[-+]?\d{1,9}(?:\.\d{0,30})?$/.test(text) ? Number(text) : undefined;
}

/** Degrees within their ranges. Lists write 0 and 0 for an unknown position, which is in the sea. */
export function positionOf(latitude: string, longitude: string): Position | undefined {
  return positionAt(numberOf(latitude), numberOf(longitude));
}

export function positionAt(
  latitude: number | undefined,
  longitude: number | undefined,
): Position | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

/** A day as `2024-06-30`, from that or from 30/06/2024. Lists write 0000-00-00 for none, and 2099 for no end. */
export function dayOf(text: string): string | undefined {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? [];
  const date = day === undefined ? text.slice(0, 10) : `${year}-${month}-${day}`;
  return /^\d{4}-\d\d-\d\d$/.test(date) && date > "0001" && date < "2099" ? date : undefined;
}
