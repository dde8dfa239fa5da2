/** What a look-up tells of a QSO, in ADIF's fields. */
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import { isContinent } from "../../lookup/record.js";

/** A value for a field. */
export interface QsoFact {
  readonly name: string;
  /** "" where the field must not have a value. */
  readonly value: string;
  readonly type?: string;
}

/**
 * What a database tells of a station. Callbooks leave out what they don't know, have the DXCC entity's name as `land`, and
 * keep as text what should be a number.
 */
export interface StationRecord {
  readonly adif?: number | string;
  readonly country?: string;
  readonly land?: string;
  readonly continent?: string;
  readonly cqz?: number | string;
  readonly ituz?: number | string;
  readonly latitude?: number | string;
  readonly longitude?: number | string;
}

/** The name of a DXCC entity; `undefined` where it is not known. */
export type EntityName = (adif: number) => string | undefined;

/** There is no entity, as ADIF writes it. */
const AT_SEA_OR_IN_THE_AIR: readonly QsoFact[] = [
  { name: "COUNTRY", value: "" },
  { name: "DXCC", value: "0" },
];

/**
 * Entity, zones and continent of a station. The country is the DXCC entity's, also for stations that the country file has
 * in a country of its own that isn't one, such as Sicily. What can't be true is left out.
 */
export function stationFacts(record: StationRecord, entityName: EntityName): readonly QsoFact[] {
  const { adif, country, land = country, continent, cqz, ituz } = record;
  if (continent === "") return AT_SEA_OR_IN_THE_AIR;
  const entity = typeof adif === "number" ? entityName(adif) : undefined;
  return [
    { name: "COUNTRY", value: entity ?? land ?? "" },
    { name: "DXCC", value: wholeNumber(adif, 999) },
    { name: "CQZ", value: wholeNumber(cqz, 40) },
    { name: "ITUZ", value: wholeNumber(ituz, 90) },
    { name: "CONT", value: isContinent(continent) ? continent : "" },
  ].filter(({ value }) => value !== "");
}

/** Where a record has its station. At sea and in the air records have 0° N 0° E, for want of a place. */
export function placeOf(record: StationRecord | undefined): Position | undefined {
  if (record === undefined || record.continent === "") return undefined;
  const { latitude, longitude } = record;
  return typeof latitude === "number" && typeof longitude === "number" ? { latitude, longitude } : undefined;
}

function wholeNumber(value: number | string | undefined, largest: number): string {
  return typeof value === "number" && value >= 1 && value <= largest ? String(value) : "";
}

/**
 * Distance and heading of the way that the signal took: the short path, or the long one where the log's `ANT_PATH` is L.
 * Gray line and other paths (G, O) follow no great circle.
 *
 * ADIF has no field for the heading of a station. `ANT_AZ` is where the antenna pointed, which nobody knows afterwards,
 * so the heading goes into a field of our own.
 */
export function pathFacts(from: Position, to: Position, antPath: string | undefined): QsoFact[] {
  const path = antPath?.toUpperCase() ?? "S";
  if (path === "G" || path === "O") return [];
  const distance = distanceKm(from, to);
  const heading = headingDegrees(from, to);
  const isLong = path === "L";
  return [
    { name: "DISTANCE", value: tenths(isLong ? CIRCUMFERENCE_KM - distance : distance) },
    { name: "APP_HAMKIT_HEADING", value: tenths((isLong ? heading + 180 : heading) % 360, 360), type: "N" },
  ];
}

/** A number with one decimal at most; one that would be rounded up to `full` turns begins anew. */
function tenths(value: number, full = Infinity): string {
  return String((Math.round(value * 10) / 10) % full);
}
