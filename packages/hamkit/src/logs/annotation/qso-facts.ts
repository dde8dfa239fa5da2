/** Converts looked-up data of a QSO to ADIF fields. */
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import { isContinent } from "../../lookup/record.js";

/** A looked-up value of a field. */
export interface QsoFact {
  readonly name: string;
  /** "" if the field must be empty. */
  readonly value: string;
  readonly type?: string;
}

/**
 * A database's record of a station. Callbook records omit unknown values, have the DXCC entity's name as `land`, and keep
 * malformed numbers as text.
 */
export interface StationRecord {
  readonly adif?: number | string;
  readonly country?: string;
  readonly land?: string;
  readonly continent?: string;
  readonly cqz?: number | string | undefined;
  readonly ituz?: number | string | undefined;
  readonly latitude?: number | string | undefined;
  readonly longitude?: number | string | undefined;
}

/** Returns the name of a DXCC entity; `undefined` if it is unknown. */
export type EntityName = (adif: number) => string | undefined;

/** ADIF's values for no entity. */
const AT_SEA_OR_IN_THE_AIR: readonly QsoFact[] = [
  { name: "COUNTRY", value: "" },
  { name: "DXCC", value: "0" },
];

/**
 * Entity, zones and continent of a station. The country is that of the DXCC entity, also where the country file has an
 * entity that is not on the DXCC list, such as Sicily. Values out of range are omitted.
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

/** The location in a record. Stations at sea and in the air have none. */
export function placeOf(record: StationRecord | undefined): Position | undefined {
  if (record === undefined) return undefined;
  const { latitude, longitude } = record;
  return typeof latitude === "number" && typeof longitude === "number" ? { latitude, longitude } : undefined;
}

function wholeNumber(value: number | string | undefined, max: number): string {
  return typeof value === "number" && value >= 1 && value <= max ? String(value) : "";
}

/** An end of a path, and the km by which it may be wrong. */
export interface PathEnd {
  readonly position: Position;
  readonly errorKm: number;
}

/**
 * Distance and heading of the signal's path: the short path, or the long path if the log's `ANT_PATH` is L. Grayline and
 * other paths (G, O) follow no great circle.
 *
 * ADIF has no field for the heading of a station. `ANT_AZ` is where the antenna pointed, which is not known afterwards, so
 * the heading goes into an application-defined field.
 */
export function pathFacts(
  { position: from, errorKm: ownError }: PathEnd,
  { position: to, errorKm: otherError }: PathEnd,
  antPath: string | undefined,
): QsoFact[] {
  const path = antPath?.toUpperCase() ?? "S";
  if (path === "G" || path === "O") return [];
  const distance = distanceKm(from, to);
  const heading = headingDegrees(from, to);
  const isLong = path === "L";
  return [
    { name: "DISTANCE", value: tenths(isLong ? CIRCUMFERENCE_KM - distance : distance) },
    { name: "APP_HAMKIT_HEADING", value: tenths((isLong ? heading + 180 : heading) % 360, 360), type: "N" },
    ...(ownError + otherError > 0
      ? [{ name: "APP_HAMKIT_DISTANCE_ERROR", value: String(Math.ceil(ownError + otherError)), type: "N" }]
      : []),
  ];
}

/** A number with at most one decimal, after rounding modulo `modulus`: 359.97° is 0. */
function tenths(value: number, modulus = Infinity): string {
  return String((Math.round(value * 10) / 10) % modulus);
}
