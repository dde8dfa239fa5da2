/**
 * Logins that go on elsewhere, at a provider, until they come back: once, whichever replica they come back to.
 *
 * What has to be known of one is carried by whoever has begun it, sealed: to begin a login writes nothing, however many are
 * begun that nobody finishes. What is kept is which were finished, and other things that are good once, such as assertions.
 */
import type { Clock, Moment } from "../../platform/clock.js";
import type { Database, Queries } from "../../platform/database/database.js";
import type { MasterKey } from "../../platform/secrets/sealing.js";
import { openLogin, sealLogin } from "./login-seal.js";

/** Ids of one kind say nothing to another. */
export type LoginRequestKind = "openid" | "saml2" | "saml2-client" | "saml2-assertion";

export interface LoginRequest {
  readonly kind: LoginRequestKind;
  /** That nobody can guess. */
  readonly id: string;
  readonly expiresAt: Moment;
}

export interface LoginRequests {
  /**
   * What has to be brought back of a login: nobody can read it, or make it.
   *
   * @param request.data Anything that JSON holds.
   */
  begin(request: LoginRequest & { readonly data: unknown }): string;
  /** The data of a login, by what was brought back; `undefined` where that is of another one, or has expired. */
  open(kind: LoginRequestKind, id: string, carried: string): unknown;
  /** Whether it was used before: for whoever has much to do until it is. */
  wasUsed(kind: LoginRequestKind, id: string): Promise<boolean>;
  /** Uses something that is good once, until it expires; `false` where it was used before. */
  use(request: LoginRequest): Promise<boolean>;
}

interface Tables {
  readonly login_request: { kind: string; id: string; expires_at: Moment };
}

const CLEANING_MS = 60_000;
/** How long what has expired still counts as used: longer than the clocks of replicas differ. */
const OVERLAP_MS = 120_000;
/** No token's answer rests on them. */
const UNSEEN = { changes: [] } as const;

export interface LoginRequestsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly masterKey: MasterKey;
}

export function createLoginRequests({ database, clock, masterKey }: LoginRequestsDeps): LoginRequests {
  let cleanedAt: Moment = -Infinity;

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
    begin: ({ data, ...request }) => sealLogin(masterKey, request, data),

    open: (kind, id, carried) => openLogin(masterKey, { kind, id, carried, now: clock.now() }),

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

    use: ({ kind, id, expiresAt }) =>
      database.transaction(async (transaction) => {
        await clean(transaction, clock.now());
        const added = await transaction
          .tables<Tables>()
          .insertInto("login_request")
          .values({ kind, id, expires_at: expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .returning("id")
          .executeTakeFirst();
        return added !== undefined;
      }, UNSEEN),
  };
}
