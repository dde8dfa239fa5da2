/** What has ended tokens, here or on another replica. */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import type { EndTokens } from "../policy/token-ends.js";
import { createRevocationIndex, type RevocableToken, type RevocationEvent } from "./revocation.js";
import { eventsAfter, insertEvent, nextPosition, positionIn, pruneEvents } from "./revocation-store.js";

/**
 * How much longer events are kept than a token may be asked about: clocks differ, and what a token rests on may have been read some time
 * before it was made (`MAX_FACTS_AGE_MS`).
 */
const MARGIN_MS = 6 * 3_600_000;
const PRUNING_MS = 600_000;

export interface RevocationsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long after it was issued a token may still be asked about. */
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
   * What is known now. Whoever asks *before* reading something has the position of what is read: it may rest on later events too,
   * but on each one up to this.
   */
  known(): Promise<KnownRevocations>;
  /** The position that a transaction has taken which has ended tokens. */
  positionIn(transaction: Queries): Promise<number>;
  /** Ends tokens within a transaction of the caller's. */
  readonly endTokens: EndTokens;
  /** Ends tokens, and is done when all of them are refused here. */
  revoke(event: Omit<RevocationEvent, "position" | "issuedBefore" | "revokedAt">): Promise<void>;
}

export function createRevocations({ database, clock, newId, retentionMs }: RevocationsDeps): Revocations {
  const index = createRevocationIndex();
  const maxAgeMs = retentionMs + MARGIN_MS;
  let last: { readonly revision: number; readonly known: Promise<KnownRevocations> } | undefined;
  let position = 0;
  let prunedAt: Moment = -Infinity;

  const isRevoked = (token: RevocableToken) => index.isRevoked(token);

  /** Reads what has come since, once for all who ask at the same time. */
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

  /** Events are committed in the order of their positions, so none comes later that is before one read here. */
  async function readNew(): Promise<KnownRevocations> {
    const { events, prunedTo = 0 } = await eventsAfter(database, position);
    for (const event of events) {
      index.add(event);
      position = Math.max(position, event.position ?? 0);
    }
    index.prune(prunedTo);
    return { position, isRevoked };
  }

  /** Who adds to the events takes away what is of no use any more: nobody who only asks has to write. */
  async function prune(transaction: Queries, now: Moment): Promise<void> {
    // Whatever way the clock was set.
    if (Math.abs(now - prunedAt) < PRUNING_MS) return;
    await pruneEvents(transaction, { now, maxAgeMs });
    prunedAt = now;
  }

  const endTokens: EndTokens = async (transaction, end) => {
    const now = clock.now();
    const taken = await nextPosition(transaction, now);
    await insertEvent(transaction, newId(), { ...end, position: taken, issuedBefore: now, revokedAt: now });
    await prune(transaction, now);
  };

  return {
    known,
    positionIn,
    endTokens,
    revoke: (event) =>
      database.transaction((transaction) => endTokens(transaction, event), { changes: ["revocations"] }),
  };
}
