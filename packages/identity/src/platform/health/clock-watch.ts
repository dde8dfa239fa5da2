/** Watches whether the clocks of this process and of the database server agree, and tells operators where they don't. */
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
  /** For `/readyz`: a sentence where the clocks are too far apart. */
  impairments(): readonly string[];
  stop(): void;
}

/** Measures at once, and then twice a minute. Where the database is on this machine there is nothing to measure. */
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
      // That the database is away is told by others.
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
