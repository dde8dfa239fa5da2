/** Metrics of the process that sends events; others have no series of receivers. */
import { Counter, Gauge, type Registry } from "prom-client";

import type { Clock } from "../platform/clock.js";
import { within } from "../platform/concurrency/within.js";
import { MAX_COLLECTING_MS } from "../platform/health/metrics.js";
import type { EventSender, ReceiverReport } from "./event-sender.js";

export function registerEventMetrics(
  registry: Registry,
  sender: Pick<EventSender, "report">,
  clock: Clock,
): void {
  const facts = { registers: [registry], labelNames: ["receiver"] };
  let reports: Promise<readonly ReceiverReport[]> | undefined;
  /** One report for all metrics of a scrape. */
  const report = () =>
    (reports ??= within(MAX_COLLECTING_MS, sender.report())
      .catch(() => [])
      .finally(() => setImmediate(() => (reports = undefined))));
  const gauge = (name: string, help: string, valueOf: (of: ReceiverReport) => number) =>
    new Gauge({
      ...facts,
      name,
      help,
      async collect() {
        const each = await report();
        this.reset();
        for (const of of each) this.set({ receiver: of.name }, valueOf(of));
      },
    });
  const counter = (name: string, help: string, valueOf: (of: ReceiverReport) => number) =>
    new Counter({
      ...facts,
      name,
      help,
      async collect() {
        const each = await report();
        this.reset();
        for (const of of each) this.inc({ receiver: of.name }, valueOf(of));
      },
    });
  gauge("identity_events_waiting", "Events that a receiver has not taken.", ({ backlog }) => backlog.count);
  gauge(
    "identity_events_oldest_age_seconds",
    "Age of the oldest event that a receiver has not taken.",
    ({ backlog: { oldestAt } }) =>
      oldestAt === undefined ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000),
  );
  counter("identity_events_sent_total", "Events that a receiver took from this process.", ({ sent }) => sent);
  counter(
    "identity_events_failures_total",
    "Attempts of this process at a receiver that failed.",
    ({ failures }) => failures,
  );
  counter(
    "identity_events_dropped_total",
    "Events that were too old or too many before a receiver took them.",
    ({ dropped }) => dropped,
  );
}
