/** What has ended tokens, here or on another replica. */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import type { EndTokens } from "../policy/token-ends.js";
import { createRevocationIndex, type RevocableToken, type RevocationEvent } from "./revocation.js";
import { deleteEventsBefore, eventsSince, insertEvent } from "./revocation-store.js";

/**
 * How far back events are read again. Longer than a transaction may take that writes one, and than the clocks of replicas
 * differ.
 */
const OVERLAP_MS = 120_000;
const CLEANING_MS = 600_000;

export interface RevocationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long after it was issued a token may still be asked about. */
  readonly retentionMs: number;
}

export interface Revocations {
  isRevoked(token: RevocableToken): Promise<boolean>;
  /** Ends tokens within a transaction of the caller's. */
  readonly endTokens: EndTokens;
  /** Ends tokens, and is done when all of them are refused here. */
  revoke(event: Omit<RevocationEvent, "issuedBefore" | "revokedAt">): Promise<void>;
}

export function createRevocations({ database, clock, newId, retentionMs }: RevocationsDeps): Revocations {
  const index = createRevocationIndex({ retentionMs });
  let known: { readonly revision: number; readonly read: Promise<void> } | undefined;
  let newest: Moment = -Infinity;
  let cleanedAt: Moment = -Infinity;

  /** Reads what has come since, once for all who ask at the same time. */
  function catchUp(): Promise<void> {
    const revision = database.revision("revocations");
    if (known?.revision === revision) return known.read;
    const read = readNew();
    known = { revision, read };
    read.catch(() => {
      if (known?.read === read) known = undefined;
    });
    return read;
  }

  async function readNew(): Promise<void> {
    const now = clock.now();
    const since = Math.max(newest - OVERLAP_MS, now - retentionMs);
    for (const event of await eventsSince(database, since)) {
      index.add(event);
      newest = Math.max(newest, event.revokedAt);
    }
    index.prune(now);
  }

  /** Who adds to the events takes away what is of no use any more: nobody who only asks has to write. */
  async function clean(transaction: Queries, now: Moment): Promise<void> {
    if (now < cleanedAt + CLEANING_MS) return;
    await deleteEventsBefore(transaction, now - retentionMs);
    cleanedAt = now;
  }

  const endTokens: EndTokens = async (transaction, end) => {
    const now = clock.now();
    await insertEvent(transaction, newId(), { ...end, issuedBefore: now, revokedAt: now });
    await clean(transaction, now);
  };

  return {
    async isRevoked(token) {
      await catchUp();
      return index.isRevoked(token);
    },
    endTokens,
    revoke: (event) =>
      database.transaction((transaction) => endTokens(transaction, event), { changes: ["revocations"] }),
  };
}
