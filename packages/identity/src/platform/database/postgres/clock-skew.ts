/** Measures the clock skew between this process and the database server. */
import { sql } from "kysely";

import type { Clock } from "../../clock.js";
import type { Database } from "../database.js";

/** Beyond this the operator is warned: NTP keeps clocks within milliseconds. */
export const MAX_CLOCK_SKEW_MS = 1000;

/**
 * @returns Milliseconds by which this clock is ahead (negative: behind); 0 if the query's duration explains the difference,
 *   `undefined` with SQLite, which has no clock of its own.
 */
export async function measureClockSkew(database: Database, clock: Clock): Promise<number | undefined> {
  if (database.kind === "sqlite") return undefined;
  const before = clock.now();
  const { rows } = await sql<{ moment: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as moment`.execute(database.tables());
  const after = clock.now();
  const moment = rows[0]?.moment ?? 0;
  // If the clocks agree, the server's time is between the other two.
  if (before > moment) return before - moment;
  return after < moment ? after - moment : 0;
}

export function describeClockSkew(skewMs: number): string {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  return skewMs === 0
    ? "agrees with the database server's"
    : `is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the database server's`;
}
