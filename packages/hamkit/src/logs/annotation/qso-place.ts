/** Reads the locations of both stations from the fields of a QSO. */
import { locatorToPosition } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { fieldValue, type Qso } from "../log.js";

/** A location, or the problem with its fields. */
export interface QsoPlace {
  readonly position?: Position;
  /** Message of the problem. */
  readonly fault?: string;
}

/** Names of the fields of a location. */
interface PlaceFields {
  readonly grid: string;
  readonly extension: string;
  readonly latitude: string;
  readonly longitude: string;
}

const OTHER: PlaceFields = {
  grid: "GRIDSQUARE",
  extension: "GRIDSQUARE_EXT",
  latitude: "LAT",
  longitude: "LON",
};
const OWN: PlaceFields = {
  grid: "MY_GRIDSQUARE",
  extension: "MY_GRIDSQUARE_EXT",
  latitude: "MY_LAT",
  longitude: "MY_LON",
};

/** The other station's location in the log: the center of its locator, or its coordinates. */
export function otherPlace(qso: Qso): QsoPlace {
  return placeIn(qso, OTHER);
}

/** The own station's location in the log. */
export function ownPlace(qso: Qso): QsoPlace {
  return placeIn(qso, OWN);
}

const LOCATOR = /^[a-r]{2}\d\d(?:[a-x]{2}(?:\d\d(?:[a-x]{2})?)?)?$/i;

function placeIn(qso: Qso, names: PlaceFields): QsoPlace {
  const grid = fieldValue(qso, names.grid);
  if (grid !== undefined && LOCATOR.test(grid)) {
    const extended = grid + (fieldValue(qso, names.extension) ?? "").slice(0, 2);
    const locator = grid.length === 8 && LOCATOR.test(extended) ? extended : grid;
    return { position: locatorToPosition(locator, names.grid, "center") };
  }
  const latitude = degrees(fieldValue(qso, names.latitude), "NS", 90);
  const longitude = latitude === undefined ? undefined : degrees(fieldValue(qso, names.longitude), "EW", 180);
  if (latitude !== undefined && longitude !== undefined) return { position: { latitude, longitude } };
  // ADIF allows locators of two characters; such a field is a thousand kilometers high.
  if (grid === undefined || /^[a-r]{2}$/i.test(grid)) return {};
  return { fault: `${names.grid}: ${JSON.stringify(grid.slice(0, 40))} is not a Maidenhead locator` };
}

/** An ADIF coordinate, `N048 31.250`, in degrees. */
function degrees(text: string | undefined, directions: string, limit: number): number | undefined {
  if (text === undefined) return undefined;
  const [, direction = "", whole, minutes] = /^([NSEW])(\d{3}) (\d\d\.\d{3})$/i.exec(text) ?? [];
  const value = Number(whole) + Number(minutes) / 60;
  if (!directions.includes(direction.toUpperCase()) || !(value <= limit)) return undefined;
  return /[SW]/i.test(direction) ? -value : value;
}
