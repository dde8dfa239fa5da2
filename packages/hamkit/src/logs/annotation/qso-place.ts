/** The locations in a QSO: of a locator, of coordinates, where grids meet, of a field of 20° x 10°. */
import { distanceKm } from "../../geo/great-circle.js";
import { locatorToPosition, locatorToRectangle, type Rectangle } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { fieldValue, type Qso } from "../log.js";

/** Where a station is: within a distance of a center. */
export interface PlaceArea {
  readonly center: Position;
  readonly radiusKm: number;
}

/** A location, or the problem with its fields. */
export interface QsoPlace {
  readonly position?: Position | undefined;
  /** Around the location; or where the station is somewhere, without a location. */
  readonly area?: PlaceArea | undefined;
  /** Message of the problem. */
  readonly fault?: string;
}

/** Names of the fields of a location. */
interface PlaceFields {
  readonly grid: string;
  readonly extension: string;
  readonly grids: string;
  readonly latitude: string;
  readonly longitude: string;
}

const OTHER: PlaceFields = {
  grid: "GRIDSQUARE",
  extension: "GRIDSQUARE_EXT",
  grids: "VUCC_GRIDS",
  latitude: "LAT",
  longitude: "LON",
};
const OWN: PlaceFields = {
  grid: "MY_GRIDSQUARE",
  extension: "MY_GRIDSQUARE_EXT",
  grids: "MY_VUCC_GRIDS",
  latitude: "MY_LAT",
  longitude: "MY_LON",
};

/** The other station's location in the log: the center of its locator, its coordinates, or where its grids meet. */
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
  const area = meetingOf(fieldValue(qso, names.grids));
  if (area !== undefined) return { position: area.center, ...(area.radiusKm > 0 && { area }) };
  if (grid === undefined) return {};
  // ADIF allows locators of two characters; such a field is a thousand kilometers high.
  if (/^[a-r]{2}$/i.test(grid)) return { area: areaOf(fieldRectangle(grid.toUpperCase())) };
  return { fault: `${names.grid}: ${JSON.stringify(grid.slice(0, 40))} is not a Maidenhead locator` };
}

/** The binary fractions of borders differ by less, in degrees. */
const TOUCHING = 1e-9;

/** Where 2 grids at a line or 4 at a corner meet; `undefined` if the text lists other grids. */
function meetingOf(list = ""): PlaceArea | undefined {
  const grids = list.split(",").map((grid) => grid.trim());
  if (![2, 4].includes(grids.length) || !grids.every((grid) => GRID.test(grid))) return undefined;
  const [first, ...others] = grids.map((grid) => locatorToRectangle(grid, "grids"));
  if (first === undefined) return undefined;
  let { west, south, east, north } = first;
  for (const other of others) {
    // Across 180° the columns continue.
    const turn = Math.round((first.west - other.west) / 360) * 360;
    west = Math.max(west, other.west + turn);
    east = Math.min(east, other.east + turn);
    south = Math.max(south, other.south);
    north = Math.min(north, other.north);
  }
  const isMeeting = west <= east + TOUCHING && south <= north + TOUCHING;
  return isMeeting ? areaOf({ west, south, east, north }) : undefined;
}

const GRID = /^[a-r]{2}\d\d(?:[a-x]{2})?$/i;

/** 20° x 10°. */
function fieldRectangle(field: string): Rectangle {
  const west = (field.charCodeAt(0) - 65) * 20 - 180;
  const south = (field.charCodeAt(1) - 65) * 10 - 90;
  return { west, south, east: west + 20, north: south + 10 };
}

/** The circle around a rectangle. Its farthest point is a corner of the side that is nearer to the equator. */
function areaOf({ west, south, east, north }: Rectangle): PlaceArea {
  const longitude = (west + east) / 2;
  const center = {
    latitude: (south + north) / 2,
    longitude: longitude >= 180 ? longitude - 360 : longitude,
  };
  const [a = 0, b = 0] = [south, north].map((latitude) =>
    distanceKm(center, { latitude, longitude: center.longitude + (east - west) / 2 }),
  );
  const radiusKm = Math.max(a, b);
  return { center, radiusKm: radiusKm < 0.1 ? 0 : radiusKm };
}

/** An ADIF coordinate, `N048 31.250`, in degrees. */
function degrees(text: string | undefined, directions: string, limit: number): number | undefined {
  if (text === undefined) return undefined;
  const [, direction = "", whole, minutes] = /^([NSEW])(\d{3}) (\d\d\.\d{3})$/i.exec(text) ?? [];
  const value = Number(whole) + Number(minutes) / 60;
  if (!directions.includes(direction.toUpperCase()) || !(value <= limit)) return undefined;
  return /[SW]/i.test(direction) ? -value : value;
}
