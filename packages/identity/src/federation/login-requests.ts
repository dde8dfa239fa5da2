/**
 * What is known of logins that go on elsewhere, at a provider or in a browser, until they come back: once, whichever replica
 * they come back to. Also what has been used already, such as the ids of assertions.
 */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";

/** Ids of one kind say nothing to another. */
export type LoginRequestKind = "openid" | "saml2" | "saml2-assertion";

export interface LoginRequest {
  readonly kind: LoginRequestKind;
  readonly id: string;
  /** Anything that JSON holds. Whoever reads the database reads it. */
  readonly data: unknown;
  readonly expiresAt: Moment;
}

export interface LoginRequests {
  /** Keeps a request; `false`, and nothing is changed, where one of this kind and id is kept already. */
  put(request: LoginRequest): Promise<boolean>;
  /** The data of a request that has not expired, to the first that asks; `undefined` to all others. */
  take(kind: LoginRequestKind, id: string): Promise<unknown>;
}

interface Tables {
  readonly login_request: { kind: string; id: string; data: string; expires_at: Moment };
}

const CLEANING_MS = 60_000;
/** How long what has expired still counts as used: longer than the clocks of replicas differ. */
const OVERLAP_MS = 120_000;
/** No token's answer rests on them. */
const UNSEEN = { changes: [] } as const;

export interface LoginRequestsDeps {
  readonly database: Database;
  readonly clock: Clock;
}

export function createLoginRequests({ database, clock }: LoginRequestsDeps): LoginRequests {
  let cleanedAt: Moment = -Infinity;

  /** Nobody comes back for what has expired. */
  async function clean(transaction: Queries, now: Moment): Promise<void> {
    if (now < cleanedAt + CLEANING_MS) return;
    await transaction
      .tables<Tables>()
      .deleteFrom("login_request")
      .where("expires_at", "<", now - OVERLAP_MS)
      .execute();
    cleanedAt = now;
  }

  return {
    put: ({ kind, id, data, expiresAt }) =>
      database.transaction(async (transaction) => {
        await clean(transaction, clock.now());
        const added = await transaction
          .tables<Tables>()
          .insertInto("login_request")
          .values({ kind, id, data: JSON.stringify(data), expires_at: expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .returning("id")
          .executeTakeFirst();
        return added !== undefined;
      }, UNSEEN),

    take: (kind, id) =>
      database.transaction(async (transaction) => {
        const taken = await transaction
          .tables<Tables>()
          .deleteFrom("login_request")
          .where("kind", "=", kind)
          .where("id", "=", id)
          .returning(["data", "expires_at"])
          .executeTakeFirst();
        if (taken === undefined || taken.expires_at <= clock.now()) return undefined;
        return JSON.parse(taken.data) as unknown;
      }, UNSEEN),
  };
}
