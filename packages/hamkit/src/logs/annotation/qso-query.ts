/** Derives from a QSO the calls, time and locations that its annotation needs. */
import type { Position } from "../../geo/position.js";
import { fieldValue, type LogProblem, type Qso } from "../log.js";
import { otherPlace, ownPlace, type PlaceArea, type QsoPlace } from "./qso-place.js";

/** The lookup of a QSO. */
export interface QsoQuery {
  /** The other station's call; `undefined` if the QSO has none. */
  readonly call: string | undefined;
  /** The time of the QSO, in milliseconds since 1970. */
  readonly at: number;
  /** The other station's location, if the QSO has it. */
  readonly place: Position | undefined;
  /** Around a location or, without one, where the station is somewhere; `undefined` for a location by a locator or coordinates. */
  readonly area: PlaceArea | undefined;
  /** The own station's location, if it is known. */
  readonly ownPlace: Position | undefined;
  readonly ownArea: PlaceArea | undefined;
  /** The own call, if the own location has to be looked up. */
  readonly ownCall: string | undefined;
  readonly problems: readonly LogProblem[];
}

export interface QueryOptions {
  /** The own location; takes precedence over the log. */
  readonly from: Position | undefined;
  /** The moment for QSOs without a date. */
  readonly now: number;
}

export function queryOf(qso: Qso, { from, now }: QueryOptions): QsoQuery {
  const time = qsoTime(fieldValue(qso, "QSO_DATE"), fieldValue(qso, "TIME_ON"), now);
  const place = otherPlace(qso);
  const own: QsoPlace = from === undefined ? ownPlace(qso) : { position: from };
  return {
    call: fieldValue(qso, "CALL"),
    at: time.at,
    place: place.position,
    area: place.area,
    ownPlace: own.position,
    ownArea: own.area,
    ownCall: own.position === undefined ? ownCallOf(qso) : undefined,
    problems: problemsOf(qso, time.fault, place.fault, own.fault),
  };
}

function ownCallOf(qso: Qso): string | undefined {
  return fieldValue(qso, "STATION_CALLSIGN") ?? fieldValue(qso, "OPERATOR");
}

const NONE: readonly LogProblem[] = [];

/** The problems of the date and of both locators. */
function problemsOf({ line }: Qso, date?: string, other?: string, own?: string): readonly LogProblem[] {
  if (date === undefined && other === undefined && own === undefined) return NONE;
  return [
    { line, kind: "date" as const, message: date },
    { line, kind: "locator" as const, message: other },
    { line, kind: "locator" as const, message: own },
  ].flatMap(({ message, ...rest }) => (message === undefined ? [] : [{ ...rest, message }]));
}

/** A moment, in milliseconds since 1970 in UTC, and the problem with its fields. */
interface QsoTime {
  readonly at: number;
  /** Message of the problem. */
  readonly fault?: string;
}

/** ADIF's dates begin here. */
const FIRST_YEAR = 1930;

const DAY_MS = 86_400_000;

/**
 * The time of a QSO: `QSO_DATE` and `TIME_ON`, in UTC. Without a time of day it is 00:00; without a date, or with an
 * invalid one, it is `now`.
 */
function qsoTime(date: string | undefined, time: string | undefined, now: number): QsoTime {
  if (date === undefined) return { at: now, fault: "QSO_DATE is missing" };
  const day = dayOf(date);
  if (day === undefined)
    return { at: now, fault: `QSO_DATE: ${JSON.stringify(date)} is not a date YYYYMMDD from 1930 on` };
  if (day > now + DAY_MS) return { at: day, fault: `QSO_DATE: ${date} is in the future` };
  if (time === undefined) return { at: day, fault: "TIME_ON is missing" };
  const timeOfDay = millisecondsOf(time);
  if (timeOfDay !== undefined) return { at: day + timeOfDay };
  return { at: day, fault: `TIME_ON: ${JSON.stringify(time)} is not a time HHMM or HHMMSS` };
}

/** 00:00 of a day `YYYYMMDD`. */
function dayOf(text: string): number | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(4, 6)), Number(text.slice(6))];
  const moment = Date.UTC(year, month - 1, day);
  // Date.UTC maps 31 April to 1 May.
  const exists = month >= 1 && month <= 12 && day >= 1 && new Date(moment).getUTCDate() === day;
  return exists && year >= FIRST_YEAR ? moment : undefined;
}

/** A time of day, `HHMM` or `HHMMSS`. */
function millisecondsOf(text: string): number | undefined {
  if (!/^\d{4}(?:\d\d)?$/.test(text)) return undefined;
  const [hour, minute, second] = [Number(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4))];
  return hour < 24 && minute < 60 && second < 60 ? ((hour * 60 + minute) * 60 + second) * 1000 : undefined;
}
