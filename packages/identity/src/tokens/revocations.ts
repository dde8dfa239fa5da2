/** Revocations by all replicas, as this process knows them. */
import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { findImportedKeys } from "./imported/imported-key-store.js";
import { createRevocationIndex, type RevocableToken, type RevocationEvent } from "./revocation.js";
import { appendEvent, positionIn, pruneEvents, eventsAfter, readEventsSince } from "./revocation-store.js";

/**
 * Events are kept longer than tokens can be validated: clocks differ, and a token's facts may have been cached before it was issued
 * (`MAX_FACTS_AGE_MS`).
 */
const MARGIN_MS = 6 * 3_600_000;
const PRUNING_INTERVAL_MS = 600_000;

export interface RevocationsDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  /** For how long after its issue a token can be validated. */
  readonly retentionMs: number;
}

/** The revocation events that this process knows. */
export interface KnownRevocations {
  /** All events up to this position are known. */
  readonly position: number;
  isRevoked(token: RevocableToken): boolean;
}

export interface Revocations {
  /**
   * The events known now. A caller that asks *before* it reads data gets a position that the data includes: all changes up to it,
   * perhaps later ones.
   */
  known(): Promise<KnownRevocations>;
  /** The position that a transaction has taken by revoking tokens. */
  positionIn(transaction: Queries): Promise<number>;
  /** Revokes tokens in the caller's transaction. */
  readonly revokeTokens: RevokeTokens;
  /** The stored events since a time, in slices. */
  since(moment: Moment): AsyncIterable<readonly RevocationEvent[]>;
  /** Revokes tokens; when it resolves, this process rejects them. */
  revoke(event: Omit<RevocationEvent, "position" | "issuedBefore" | "revokedAt">): Promise<void>;
  /** The age of an event, or of an ended right, at which no token depends on it. */
  readonly maxAgeMs: number;
  /** Deletes some events that are too old to concern any token. @returns Whether there may be more. */
  purge(): Promise<boolean>;
}

export function createRevocations({ database, clock, newId, retentionMs }: RevocationsDeps): Revocations {
  const index = createRevocationIndex();
  const maxAgeMs = retentionMs + MARGIN_MS;
  let last: { readonly revision: number; readonly known: Promise<KnownRevocations> } | undefined;
  let position = 0;
  let prunedAt: Moment = -Infinity;

  const isRevoked = (token: RevocableToken) => index.isRevoked(token);

  /** Reads new events, once for concurrent callers. */
  function known(): Promise<KnownRevocations> {
    const revision = database.revision("revocations");
    if (last?.revision === revision) return last.known;
    const reading = readNew();
    last = { revision, known: reading };
    reading.catch(() => {
      if (last?.known === reading) last = undefined;
    });
    return reading;
  }

  /** Events are committed in the order of their positions: none appears later before one read here. */
  async function readNew(): Promise<KnownRevocations> {
    for await (const { events, prunedTo } of eventsAfter(database, position)) {
      for (const event of events) {
        index.add(event);
        position = Math.max(position, event.position ?? 0);
      }
      index.prune(prunedTo);
    }
    return { position, isRevoked };
  }

  /** @returns Whether there may be more. */
  async function prune(transaction: Queries, now: Moment): Promise<boolean> {
    // Imported tokens may live longer than those of this service: their keys are deleted when the last of them has expired.
    if ((await findImportedKeys(transaction)) !== undefined) return false;
    return pruneEvents(transaction, { now, maxAgeMs });
  }

  const revokeTokens: RevokeTokens = async (transaction, selection) => {
    const now = clock.now();
    const event = { ...selection, issuedBefore: now, revokedAt: now };
    await appendEvent(transaction, database.kind, { id: newId(), event });
    // In either direction: the clock may have been set.
    if (Math.abs(now - prunedAt) < PRUNING_INTERVAL_MS) return;
    await prune(transaction, now);
    prunedAt = now;
  };

  return {
    known,
    maxAgeMs,
    positionIn,
    revokeTokens,
    since: (moment) => readEventsSince(database, moment),
    revoke: (event) =>
      database.transaction((transaction) => revokeTokens(transaction, event), { changes: ["revocations"] }),
    purge: () =>
      database.transaction((transaction) => prune(transaction, clock.now()), { changes: ["revocations"] }),
  };
}
