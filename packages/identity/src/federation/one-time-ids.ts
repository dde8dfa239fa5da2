/** Ids that are valid once, at whatever replica: those of logins that return, assertions, logout tokens and messages. */
import { sql } from "kysely";

import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

/** Namespaces of ids, each of one kind of login or message, such as `session`. */
export type OneTimeIdKind = string;

export interface OneTimeId {
  readonly kind: OneTimeIdKind;
  /** Unguessable. */
  readonly id: string;
  readonly expiresAt: Moment;
}

export interface OneTimeIds {
  /** Whether the id was used: a cheap check before costly work. {@link use} decides. */
  wasUsed(kind: OneTimeIdKind, id: string): Promise<boolean>;
  /** Uses an id until it expires; `false` if it was used before. */
  use(id: OneTimeId): Promise<boolean>;
  /**
   * Uses several ids in one transaction: on SQLite, each waits for the disk.
   *
   * @returns The first that was used before, after which the others are used up too; `undefined` if none was.
   */
  useAll<Id extends OneTimeId>(ids: readonly Id[]): Promise<Id | undefined>;
  /** Deletes some expired ids. @returns Whether there may be more. */
  purge(): Promise<boolean>;
}

interface Tables {
  readonly login_request: { kind: string; id: string; expires_at: Moment };
}

const CLEANING_MS = 60_000;
/** How long an expired id still counts as used: longer than the clock skew between replicas. */
const OVERLAP_MS = 120_000;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;

/** Ids that are deleted at a time. */
const MAX_DELETED_IDS = 200;

/** @returns The number of deleted ids: at most {@link MAX_DELETED_IDS}. */
async function deleteExpiredIds(queries: Queries, now: Moment): Promise<number> {
  const tables = queries.tables<Tables>();
  const expired = tables
    .selectFrom("login_request")
    .select(["kind", "id"])
    .where("expires_at", "<", now - OVERLAP_MS)
    .limit(MAX_DELETED_IDS);
  const { numDeletedRows } = await tables
    .deleteFrom("login_request")
    .where(sql<boolean>`(kind, id) in ${expired}`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export function createOneTimeIds({ database, clock }: Pick<Platform, "database" | "clock">): OneTimeIds {
  let cleanedAt: Moment = -Infinity;

  async function clean(transaction: Queries, now: Moment): Promise<void> {
    if (now < cleanedAt + CLEANING_MS) return;
    await deleteExpiredIds(transaction, now);
    cleanedAt = now;
  }

  function useAll<Id extends OneTimeId>(ids: readonly Id[]): Promise<Id | undefined> {
    return database.transaction(async (transaction) => {
      await clean(transaction, clock.now());
      const added = await transaction
        .tables<Tables>()
        .insertInto("login_request")
        .values(ids.map(({ kind, id, expiresAt }) => ({ kind, id, expires_at: expiresAt })))
        .onConflict((conflict) => conflict.doNothing())
        .returning(["kind", "id"])
        .execute();
      return ids.find(({ kind, id }) => !added.some((row) => row.kind === kind && row.id === id));
    }, UNCACHED);
  }

  return {
    async wasUsed(kind, id) {
      const found = await database
        .tables<Tables>()
        .selectFrom("login_request")
        .select("id")
        .where("kind", "=", kind)
        .where("id", "=", id)
        .executeTakeFirst();
      return found !== undefined;
    },

    use: async (id) => (await useAll([id])) === undefined,
    useAll,

    purge: async () => (await deleteExpiredIds(database, clock.now())) === MAX_DELETED_IDS,
  };
}
