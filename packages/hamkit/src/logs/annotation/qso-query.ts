/** What there is to find out about a QSO. */
import type { Position } from "../../geo/position.js";
import { fieldValue, type LogProblem, type Qso } from "../log.js";
import { otherPlace, ownPlace } from "./qso-place.js";
import { qsoTime } from "./qso-time.js";

/** A QSO as it is looked up. */
export interface QsoQuery {
  /** Whom to look up; `undefined` where the QSO doesn't say. */
  readonly call: string | undefined;
  /** The time of the QSO, in milliseconds since 1970. */
  readonly at: number;
  /** Where the other station was, as far as the QSO tells. */
  readonly place: Position | undefined;
  /** Where one's own station was, as far as the QSO tells. */
  readonly ownPlace: Position | undefined;
  /** Whom to look up where it doesn't. */
  readonly ownCall: string | undefined;
  readonly problems: readonly LogProblem[];
}

export interface QueryOptions {
  /** One's own place, whatever the log says. */
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

/** Faults of the date, and of the locators of both stations. */
function problemsOf({ line }: Qso, date?: string, other?: string, own?: string): readonly LogProblem[] {
  if (date === undefined && other === undefined && own === undefined) return NONE;
  return [
    { line, kind: "date" as const, message: date },
    { line, kind: "locator" as const, message: other },
    { line, kind: "locator" as const, message: own },
  ].flatMap(({ message, ...rest }) => (message === undefined ? [] : [{ ...rest, message }]));
}
