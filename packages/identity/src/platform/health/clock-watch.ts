/** Monitors the clock skew between this process and the database server, for the log, metrics and `/readyz`. */
import type { FastifyBaseLogger } from "fastify";
import { Gauge, type Registry } from "prom-client";

import type { Clock } from "../clock.js";
import { describeClockSkew, MAX_CLOCK_SKEW_MS, measureClockSkew } from "../database/postgres/clock-skew.js";
import type { Database } from "../database/database.js";

const MEASURING_MS = 30_000;

export interface ClockWatchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly registry: Registry;
}

export interface ClockWatch {
  /** For `/readyz`: a sentence if the skew is too large. */
  impairments(): readonly string[];
  stop(): void;
}

/** Measures immediately, then twice a minute. SQLite has no clock of its own. */
export function watchClock({ database, clock, log, registry }: ClockWatchDeps): ClockWatch {
  if (database.kind === "sqlite") return { impairments: () => [], stop: () => {} };
  const gauge = new Gauge({
    name: "database_clock_skew_seconds",
    help: "How far this process's clock is ahead of the database server's.",
    registers: [registry],
  });
  let skewMs = 0;
  let isStopped = false;
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

  void measure();
  const timer = setInterval(() => void measure(), MEASURING_MS);
  timer.unref();
  return {
    impairments: () => (isSkewed() ? [`The clock ${describeClockSkew(skewMs)}.`] : []),
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
