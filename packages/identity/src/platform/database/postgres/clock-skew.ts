/** How far the clock of this process and that of the database server are apart. */
import { sql } from "kysely";

import type { Clock } from "../../clock.js";
import type { Database } from "../database.js";

/** From here on somebody should look: NTP keeps clocks within milliseconds. */
export const MAX_CLOCK_SKEW_MS = 1000;

/**
 * @returns Milliseconds by which this clock is ahead, negative where it is behind; 0 if the time that the question took explains the
 *   difference, `undefined` where both are one clock: that of a machine with its SQLite file.
 */
export async function measureClockSkew(database: Database, clock: Clock): Promise<number | undefined> {
  if (database.kind === "sqlite") return undefined;
  const before = clock.now();
  const { rows } = await sql<{ moment: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as moment`.execute(database.tables());
  const after = clock.now();
  const moment = rows[0]?.moment ?? 0;
  // The server's moment is between the other two, where the clocks agree.
  if (before > moment) return before - moment;
  return after < moment ? after - moment : 0;
}

/** The difference in words. */
export function describeClockSkew(skewMs: number): string {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  return skewMs === 0
    ? "agrees with the database server's"
    : `is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the database server's`;
}
