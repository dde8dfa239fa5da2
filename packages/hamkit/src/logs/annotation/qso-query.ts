/** Derives from a QSO the calls, time and locations that its annotation needs. */
import type { Position } from "../../geo/position.js";
import { fieldValue, type LogProblem, type Qso } from "../log.js";
import { otherPlace, ownPlace } from "./qso-place.js";
import { qsoTime } from "./qso-time.js";

/** The lookup of a QSO. */
export interface QsoQuery {
  /** The other station's call; `undefined` if the QSO has none. */
  readonly call: string | undefined;
  /** The time of the QSO, in milliseconds since 1970. */
  readonly at: number;
  /** The other station's location, if the QSO has it. */
  readonly place: Position | undefined;
  /** The own station's location, if it is known. */
  readonly ownPlace: Position | undefined;
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
  const own = from === undefined ? ownPlace(qso) : { position: from };
  return {
    call: fieldValue(qso, "CALL"),
    at: time.at,
    place: place.position,
    ownPlace: own.position,
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
