/** Monitors the clock skew between this process and the database server, for the log, metrics and `/readyz`. */
import type { FastifyBaseLogger } from "fastify";
import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";

import type { Clock } from "../clock.js";
import type { Database } from "../database/database.js";

const MEASURING_MS = 30_000;

export interface ClockWatch {
  /** For `/readyz`: a sentence if the skew is too large. */
  impairments(): readonly string[];
  /** Measures immediately, then twice a minute. */
  start(): void;
  stop(): void;
}

/** SQLite has no clock of its own. */
export function watchClock({
  database,
  clock,
  log,
  registry,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly registry: Registry;
}): ClockWatch {
  if (database.kind === "sqlite") return { impairments: () => [], start: () => {}, stop: () => {} };
  const gauge = new Gauge({
    name: "database_clock_skew_seconds",
    help: "How far this process's clock is ahead of the database server's.",
    registers: [registry],
  });
  let skewMs = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const isSkewed = () => Math.abs(skewMs) > MAX_CLOCK_SKEW_MS;

  async function measure(): Promise<void> {
    const wasSkewed = isSkewed();
    try {
      skewMs = (await measureClockSkew(database, clock)) ?? 0;
    } catch {
      // Database outages are reported elsewhere.
      return;
    }
    gauge.set(skewMs / 1000);
    if (isStopped || isSkewed() === wasSkewed) return;
    const message = `the clock ${describeClockSkew(skewMs)}`;
    if (wasSkewed) log.info({ skewMs }, message);
    else log.warn({ skewMs }, `${message}: synchronize both by NTP`);
  }

  return {
    impairments: () => (isSkewed() ? [`The clock ${describeClockSkew(skewMs)}.`] : []),
    start() {
      void measure();
      timer = setInterval(() => void measure(), MEASURING_MS).unref();
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

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
