/** Filters of lists of users, such as `?enabled` and `?password_expires_at=lt:2026-12-31T00:00:00Z`. */
import type { Moment } from "../platform/clock.js";
import { errorClass, InvalidError } from "../platform/errors.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { allValues, readBoolean, type Query } from "../platform/http/query.js";

/** Columns of users that a list may be filtered by. */
export const USER_FILTERS = ["domain_id", "name"] as const;

/** Columns of federated identities that a list may be filtered by. */
export const FEDERATED_FILTERS = ["idp_id", "protocol_id", "unique_id"] as const;

/** @throws {TimestampError} {@link OperatorError} */
export function readUserFilters(query: Query) {
  return {
    expiry: readExpiryFilters(query),
    enabled: readBoolean(query["enabled"]),
    federated: readFilters(query, FEDERATED_FILTERS),
  };
}

/** Operators of clients, and of SQL. */
const OPERATORS = { lt: "<", lte: "<=", gt: ">", gte: ">=", eq: "=", neq: "<>" } as const;

/** A condition on the expiry of a password. Passwords that never expire fulfill none. */
export interface ExpiryFilter {
  readonly operator: (typeof OPERATORS)[keyof typeof OPERATORS];
  readonly moment: Moment;
}

/** The value is not a timestamp. */
export class TimestampError extends errorClass(
  InvalidError,
  "request/timestamp",
  "Timestamp not in expected format. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.",
) {}

/** The operator is unknown. */
export class OperatorError extends errorClass(
  InvalidError,
  "request/operator",
  (operator: string) =>
    `The given operator ${operator} is not valid. It must be one of the following: 'eq', 'neq', 'lt', 'lte', 'gt', or 'gte'.`,
) {}

/** @throws {TimestampError} {@link OperatorError} */
export function readExpiryFilters(query: Query): ExpiryFilter[] {
  return allValues(query, "password_expires_at").map((value) => {
    // A timestamp alone means `eq`; its first colon comes later.
    const [, operator = "eq", timestamp = value] = /^([^:]{2,3}):(.*)$/s.exec(value) ?? [];
    const moment = readMoment(timestamp);
    if (!Object.hasOwn(OPERATORS, operator)) throw new OperatorError(operator);
    return { operator: OPERATORS[operator as keyof typeof OPERATORS], moment };
  });
}

/** ISO 8601; everything after the year is optional, and the offset defaults to UTC. */
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
