/** Reads spots that come as JSON: any type can come for any member. */
import { isContinent } from "../../lookup/record.js";
import {
  callField,
  dateField,
  gridField,
  numberField,
  textField,
  withoutAbsent,
} from "../lines/feed-fields.js";
import type { JsonObject } from "../lines/pskr-report.js";
import type { FeedSpot, FeedStation } from "./feed-spot.js";

const MAX_REFERENCES = 10;

/** The spot of an object that was written as JSON; `undefined` for any other. Members of other types are left out. */
export function readFeedSpot(object: JsonObject | undefined): FeedSpot | undefined {
  if (object === undefined) return undefined;
  const dx = callField(object["dx"]);
  const time = dateField(object["time"]);
  const frequencyKHz = numberField(object["frequencyKHz"]);
  if (dx === undefined || time === undefined || frequencyKHz === undefined || frequencyKHz <= 0)
    return undefined;
  return withoutAbsent({
    source: textField(object["source"]) ?? "",
    time,
    frequencyKHz,
    band: textField(object["band"]),
    mode: textField(object["mode"]),
    modeAssumed: isTrue(object["modeAssumed"]),
    dx,
    spotter: textField(object["spotter"]),
    skimmer: object["skimmer"] === true,
    comment: textField(object["comment"]) ?? "",
    snrDb: numberField(object["snrDb"]),
    wpm: numberField(object["wpm"]),
    qsxKHz: numberField(object["qsxKHz"]),
    dxGrid: gridField(object["dxGrid"]) ?? undefined,
    spotterGrid: gridField(object["spotterGrid"]) ?? undefined,
    position: positionOfJson(object["position"]),
    references: referencesOf(object["references"]),
    qrt: isTrue(object["qrt"]),
    dxStation: stationOfJson(object["dxStation"]),
    spotterStation: stationOfJson(object["spotterStation"]),
  });
}

function stationOfJson(value: unknown): FeedStation | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const object = value as JsonObject;
  const country = textField(object["country"]);
  const [adif, cqz] = [numberField(object["adif"]), numberField(object["cqz"])];
  if (country === undefined || adif === undefined || cqz === undefined) return undefined;
  const { continent } = object;
  return withoutAbsent({
    country,
    adif,
    continent: isContinent(continent) ? continent : ("" as const),
    cqz,
    ituz: numberField(object["ituz"]),
    latitude: numberField(object["latitude"]),
    longitude: numberField(object["longitude"]),
    distanceKm: numberField(object["distanceKm"]),
    heading: numberField(object["heading"]),
  });
}

function positionOfJson(value: unknown): readonly [number, number] | undefined {
  if (!Array.isArray(value)) return undefined;
  const [north, east] = [numberField(value[0]), numberField(value[1])];
  if (north === undefined || east === undefined) return undefined;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? [north, east] : undefined;
}

function referencesOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_REFERENCES).flatMap((reference) => textField(reference) ?? []);
}

function isTrue(value: unknown): true | undefined {
  return value === true ? true : undefined;
}
