/** Reports refused logins: a metric per refusal, and one log line per refusing limit, not per attempt. */
import { Counter, Gauge, type Registry } from "prom-client";

import type { Clock, Moment } from "../clock.js";
import { createMemoryBuckets } from "../rate-limit.js";
import type { Admissions } from "./admission.js";
import type { LoginRefusal } from "./login-limiter.js";

export interface ReportTargets {
  readonly log: { warn(facts: object, message: string): void };
  readonly registry: Registry;
}

/** Log lines that an attacker with many networks can cause. */
const LINES = { burst: 30, perSecond: 0.5 };
/** Keys with a recent log line. */
const MAX_KEYS = 10_000;

export function createRefusalReports(clock: Clock) {
  /** Until when a key's line is not repeated, in order of the lines. */
  const quietUntil = new Map<string, Moment>();
  const lines = createMemoryBuckets({ ...LINES, clock, maxKeys: 1 });
  let targets: { readonly log: ReportTargets["log"]; readonly refused: Counter<"limit"> } | undefined;
  let withheld = 0;

  function note(key: string, until: Moment): void {
    quietUntil.delete(key);
    quietUntil.set(key, until);
    const [oldest] = quietUntil.keys();
    if (quietUntil.size > MAX_KEYS && oldest !== undefined) quietUntil.delete(oldest);
  }

  return {
    start({ log, registry }: ReportTargets, admissions: Admissions): void {
      const refused = new Counter({
        name: "login_attempts_refused_total",
        help: "Login attempts rejected with status 429, by limit.",
        labelNames: ["limit"] as const,
        registers: [registry],
      });
      targets = { log, refused };
      // oxlint-disable-next-line no-new
      new Gauge({
        name: "login_attempts_waiting",
        help: "Login attempts currently queued.",
        registers: [registry],
        collect() {
          this.set(admissions.waiting);
        },
      });
      // oxlint-disable-next-line no-new
      new Counter({
        name: "login_attempts_waited_total",
        help: "Login attempts that were queued.",
        registers: [registry],
        collect() {
          this.reset();
          this.inc(admissions.waited);
        },
      });
    },
    refused({ limit, key, retryAfterSeconds, windowSeconds, subject, network }: LoginRefusal): void {
      if (targets === undefined) return;
      targets.refused.labels(limit).inc();
      const now = clock.now();
      if (now < (quietUntil.get(key) ?? 0)) return;
      note(key, now + windowSeconds * 1000);
      if (!lines.take("").isAllowed) {
        withheld++;
        return;
      }
      const facts = { limit, subject: subject ?? "unknown account", network, retryAfterSeconds };
      targets.log.warn({ loginLimit: { ...facts, ...(withheld > 0 && { withheld }) } }, "logins refused");
      withheld = 0;
    },
  };
}

export type RefusalReports = ReturnType<typeof createRefusalReports>;
