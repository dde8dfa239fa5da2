/** Assembles the limits on failed logins: counted in memory, synchronized through the database once a second. */
import { setTimeout as delay } from "node:timers/promises";

import { Counter, Gauge, type Registry } from "prom-client";

import { systemClock, type Clock, type Moment } from "../clock.js";
import type { Database } from "../database/database.js";
import { LOGIN_LOG_MESSAGES } from "../login-reasons.js";
import { createMemoryBuckets } from "../token-buckets.js";
import type { MasterKey } from "../secrets/sealing.js";
import { createAdmissions, type Admissions } from "./admission.js";
import {
  createHashKey,
  createLoginThrottle,
  type LoginThrottle,
  type ThrottlingLimits,
  type LoginRefusal,
} from "./login-throttle.js";
import {
  clockNow,
  createExpiryStore,
  databaseNow,
  createSharedExpiries,
  type Merge,
  type SharedExpiries,
} from "./shared-expiries.js";

const SYNC_MS = 1000;
/** Timeout of the last write at shutdown. */
const STOP_MS = 2000;
/** Expired keys are pruned once per this many synchronizations. */
const PRUNE_EVERY = 10;
/** Keys in memory and rows of each table. */
const MAX_KEYS = 100_000;

export interface LoginThrottlingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly masterKey: Pick<MasterKey, "key">;
  readonly limits: ThrottlingLimits;
  readonly maxWaitMs: number;
}

export interface LoginThrottling extends LoginThrottle {
  /** Starts synchronization and reports. @returns Stops both, after a last write. */
  start(targets: ReportTargets): () => Promise<void>;
  /** Writes the changes of this process, and reads those of others. */
  sync(): Promise<void>;
}

export function createLoginThrottling(options: LoginThrottlingOptions): LoginThrottling {
  const { database, clock, masterKey, limits, maxWaitMs } = options;
  // With a test's clock, all processes of the test use it.
  const now = clock === systemClock ? databaseNow(database, clock) : clockNow(clock);
  const shared = (table: "login_failure" | "known_login", merge: Merge) =>
    createSharedExpiries({
      store: createExpiryStore({ database, table, merge, now }),
      merge,
      clock,
      maxKeys: MAX_KEYS,
    });
  const failures = shared("login_failure", "sum");
  const knownPairs = shared("known_login", "latest");
  const admissions = createAdmissions({ failures, maxWaitMs });
  const reports = createRefusalReports(clock);
  const throttle = createLoginThrottle({
    limits,
    knownPairs,
    admissions,
    hashKey: createHashKey(masterKey),
    onRefused: (refusal) => reports.refused(refusal),
  });
  const both: readonly SharedExpiries[] = [failures, knownPairs];
  const sync = async () => {
    for (const each of both) await each.sync();
  };
  return {
    ...throttle,
    sync,
    start(targets) {
      reports.start(targets, admissions);
      return repeat(targets, async (count) => {
        await sync();
        if (count % PRUNE_EVERY === 0) for (const each of both) await each.prune();
      });
    },
  };
}

/** Runs work every second, and a last time at the end. Logs a failure once until it succeeds again. */
function repeat({ log }: Pick<ReportTargets, "log">, work: (count: number) => Promise<void>) {
  let count = 0;
  let hasFailed = false;
  let running: Promise<void> | undefined;

  async function runOnce(): Promise<void> {
    try {
      await work(count++);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, "login limits are not shared with other processes");
      hasFailed = true;
    }
  }

  function run(): Promise<void> {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  void run();
  const timer = setInterval(() => void run(), SYNC_MS).unref();
  return async () => {
    clearInterval(timer);
    const last = (running ?? Promise.resolve()).then(run);
    // An unresponsive database must not block the shutdown.
    await Promise.race([last, delay(STOP_MS, undefined, { ref: false })]);
  };
}

interface ReportTargets {
  readonly log: { warn(facts: object, message: string): void };
  readonly registry: Registry;
}

/** Log lines that an attacker with many networks can cause. */
const LINES = { burst: 30, perSecond: 0.5 };
/** Keys with a recent log line. */
const MAX_REPORTED_KEYS = 10_000;

/** Reports attempts that a limit rejects: a metric per attempt, and one log line per limit. */
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
    if (quietUntil.size > MAX_REPORTED_KEYS && oldest !== undefined) quietUntil.delete(oldest);
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
      targets.log.warn(
        { loginLimit: { ...facts, ...(withheld > 0 && { withheld }) } },
        LOGIN_LOG_MESSAGES.limited,
      );
      withheld = 0;
    },
  };
}

export type RefusalReports = ReturnType<typeof createRefusalReports>;
