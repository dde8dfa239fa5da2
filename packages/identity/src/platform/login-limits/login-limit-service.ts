/** Assembles the limits on failed logins: counted in memory, synchronized through the database once a second. */
import { setTimeout as delay } from "node:timers/promises";

import { systemClock, type Clock } from "../clock.js";
import type { Database } from "../database/database.js";
import type { MasterKey } from "../secrets/sealing.js";
import { createAdmissions } from "./admission.js";
import { clockNow, createExpiryStore, databaseNow, type Merge } from "./expiry-store.js";
import { createHashKey } from "./hash-key.js";
import { createLoginLimiter, type LoginLimiter, type LoginLimits } from "./login-limiter.js";
import { createRefusalReports, type ReportTargets } from "./refusal-reports.js";
import { createSharedExpiries, type SharedExpiries } from "./shared-expiries.js";

const SYNC_MS = 1000;
/** Timeout of the last write at shutdown. */
const STOP_MS = 2000;
/** Expired keys are pruned once per this many synchronizations. */
const PRUNE_EVERY = 10;
/** Keys in memory and rows of each table. */
const MAX_KEYS = 100_000;

export interface LoginLimitServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly masterKey: Pick<MasterKey, "key">;
  readonly limits: LoginLimits;
  readonly maxWaitMs: number;
}

export interface LoginLimitService extends LoginLimiter {
  /** Starts synchronization and reports. @returns Stops both, after a last write. */
  start(targets: ReportTargets): () => Promise<void>;
  /** Writes the changes of this process, and reads those of others. */
  sync(): Promise<void>;
}

export function createLoginLimitService(options: LoginLimitServiceOptions): LoginLimitService {
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
  const limiter = createLoginLimiter({
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
    ...limiter,
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
