/** The heartbeat of this process for the console's overview, with the logins that it counts. */
import { hostname } from "node:os";

import type { FastifyBaseLogger } from "fastify";

import type { Platform } from "../../area.js";
import { HOUR_MS, type Moment } from "../../platform/clock.js";
import { messageOf } from "../../platform/errors.js";
import type { MasterKeyWatch } from "../../platform/secrets/master-key-watch.js";
import type { AuditEvent, AuditSink } from "../../policy/audit.js";
import { BEAT_MS, addLoginCounts, deleteReplica, putReplica, type LoginCount } from "./replica-store.js";

export interface Heartbeat {
  /** The id of this process. */
  readonly id: string;
  /** Counts logins. */
  readonly record: AuditSink;
  /** Gives the first heartbeat, and others from then on. @returns A function that stops, and removes the process. */
  start(log: Pick<FastifyBaseLogger, "error">): Promise<() => Promise<void>>;
}

export interface HeartbeatDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly version: string;
  /** The number of the worker process; 0 without workers. */
  readonly worker: number;
  /** Degraded functions of this process, a sentence each. */
  readonly impairments: () => Promise<readonly string[]>;
  /** Each new one is told at once: `keys reseal` waits for that. */
  readonly masterKeys: Pick<MasterKeyWatch, "keyIds" | "onKey">;
}

/** How long a process that was killed is shown. */
export const REPLICA_LIFE_MS = 24 * HOUR_MS;
export const LOGIN_COUNT_LIFE_MS = 7 * 24 * HOUR_MS;
const UNCACHED = { changes: [] } as const;

export function createHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { database, clock, newId, version, worker } = deps;
  const id = newId();
  const startedAt = clock.now();
  let counts = new Map<string, LoginCount>();

  function add(each: LoginCount): void {
    const key = `${each.hour} ${each.outcome}`;
    counts.set(key, { ...each, count: each.count + (counts.get(key)?.count ?? 0) });
  }

  async function beat(): Promise<void> {
    const now = clock.now();
    const impairments = await deps.impairments();
    const masterKeys = deps.masterKeys.keyIds();
    const replica = {
      id,
      host: hostname(),
      worker,
      version,
      startedAt,
      seenAt: now,
      impairments,
      masterKeys,
    };
    const taken = [...counts.values()];
    counts = new Map();
    try {
      await database.transaction(async (transaction) => {
        await putReplica(transaction, replica, now - REPLICA_LIFE_MS);
        if (taken.length > 0) await addLoginCounts(transaction, taken, now - LOGIN_COUNT_LIFE_MS);
      }, UNCACHED);
    } catch (error) {
      // For the next time.
      for (const each of taken) add(each);
      throw error;
    }
  }

  return {
    id,

    record(event) {
      if (isLogin(event)) add({ hour: hourOf(clock.now()), outcome: event.outcome, count: 1 });
    },

    async start(log) {
      const report = (error: unknown) => log.error({ err: error }, `no heartbeat: ${messageOf(error)}`);
      let beating = beat().catch(report);
      await beating;
      const beatAgain = () => {
        beating = beating.then(beat).catch(report);
      };
      const timer = setInterval(beatAgain, BEAT_MS);
      timer.unref();
      deps.masterKeys.onKey(beatAgain);
      return async () => {
        clearInterval(timer);
        await beating.then(beat).catch(report);
        await database.transaction((transaction) => deleteReplica(transaction, id), UNCACHED).catch(report);
      };
    },
  };
}

/** A browser that is sent to its provider is not logged in yet. */
function isLogin({ action, outcome, user }: AuditEvent): boolean {
  return action === "authenticate" && (outcome !== "done" || user !== undefined);
}

export function hourOf(moment: Moment): Moment {
  return Math.floor(moment / HOUR_MS) * HOUR_MS;
}
