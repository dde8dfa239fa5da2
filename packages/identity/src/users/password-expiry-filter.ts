/** `?password_expires_at=lt:2026-12-31T00:00:00Z`: users by when their passwords have to be changed. */
import type { Moment } from "../platform/clock.js";
import { InvalidError } from "../platform/errors.js";
import { allValues, type Query } from "../platform/http/query.js";

/** Operators of clients, and of SQL. */
const OPERATORS = { lt: "<", lte: "<=", gt: ">", gte: ">=", eq: "=", neq: "<>" } as const;

/** A condition on the moment when a password expires. One that never does fulfills none. */
export interface ExpiryFilter {
  readonly operator: (typeof OPERATORS)[keyof typeof OPERATORS];
  readonly moment: Moment;
}

/** It is no moment. */
export class TimestampError extends InvalidError {
  override readonly name = "TimestampError";
  override readonly code = "request/timestamp";

  constructor() {
    super(
      "Timestamp not in expected format. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
    );
  }
}

/** There is no such operator. */
export class OperatorError extends InvalidError {
  override readonly name = "OperatorError";
  override readonly code = "request/operator";

  constructor(operator: string) {
    super(
      `The given operator ${operator} is not valid. It must be one of the following: 'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.`,
    );
  }
}

/** @throws {TimestampError} {@link OperatorError} */
export function readExpiryFilters(query: Query): ExpiryFilter[] {
  return allValues(query, "password_expires_at").map((value) => {
    // A moment alone is one to be equal to. It has no colon so far to the front.
    const [, operator = "eq", timestamp = value] = /^([^:]{2,3}):(.*)$/s.exec(value) ?? [];
    const moment = readMoment(timestamp);
    if (!Object.hasOwn(OPERATORS, operator)) throw new OperatorError(operator);
    return { operator: OPERATORS[operator as keyof typeof OPERATORS], moment };
  });
}

/** ISO 8601, of which everything behind the year may be left out; UTC where no offset is given. */
const TIMESTAMP =
  /^(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/;

function readMoment(text: string): Moment {
  const parts = TIMESTAMP.exec(text);
  if (parts === null) throw new TimestampError();
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", fraction = ""] = parts;
  const [, hours, minutes = "00"] = /^([+-]\d\d):?(\d\d)?$/.exec(parts[8] ?? "") ?? [];
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  const date = `${year}-${month}-${day}`;
  const moment = Date.parse(`${date}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  // JavaScript moves February 30 into March.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
  if (Number.isNaN(moment) || !isDay) throw new TimestampError();
  return moment;
}
