/**
 * Logins that continue at a provider: each may return once, to any replica.
 *
 * The browser carries the login's state, sealed: to begin a login writes nothing, however many are never finished. The database
 * records which were finished, and other ids that are valid once, such as those of assertions.
 */
import { hkdfSync } from "node:crypto";

import { sql } from "kysely";

import type { Platform } from "../../area.js";
import type { Clock, Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { TooManyError } from "../../platform/errors.js";
import { networkOf } from "../../platform/client-network.js";
import { createMemoryBuckets, type RateLimit } from "../../platform/token-buckets.js";
import { isHeld } from "../../platform/secrets/held-master-key.js";
import {
  sealedBy,
  unsealSecret,
  SealError,
  sealSecret,
  toMasterKey,
  type MasterKey,
} from "../../platform/secrets/sealing.js";
import type { EnabledProtocol, FederatedRequest } from "../assertion-verifier.js";
import { MAX_BEGUN_LOGINS, readLoginCookies, type LoginCookies } from "./login-cookies.js";

/** Namespaces of ids, each of one kind of login or message, such as `session`. */
export type PendingLoginKind = string;

export interface OneTimeId {
  readonly kind: PendingLoginKind;
  /** Unguessable. */
  readonly id: string;
  readonly expiresAt: Moment;
}

export interface PendingLogins {
  /**
   * Seals the state of a login: its bearer can neither read nor forge it.
   *
   * @param login.data Any JSON value.
   */
  seal(login: OneTimeId & { readonly data: unknown }): string;
  /** The state of a login; `undefined` if the text belongs to another login, or has expired. */
  unseal(kind: PendingLoginKind, id: string, sealed: string): unknown;
  /** Whether the id was used: a cheap check before costly work. {@link use} decides. */
  wasUsed(kind: PendingLoginKind, id: string): Promise<boolean>;
  /** Uses an id until it expires; `false` if it was used before. */
  use(login: OneTimeId): Promise<boolean>;
  /**
   * Uses several ids in one transaction: on SQLite, each waits for the disk.
   *
   * @returns The first that was used before, after which the others are used up too; `undefined` if none was.
   */
  useAll<Login extends OneTimeId>(logins: readonly Login[]): Promise<Login | undefined>;
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

export type PendingLoginsDeps = Pick<Platform, "database" | "clock" | "masterKey">;

export function createPendingLogins({ database, clock, masterKey }: PendingLoginsDeps): PendingLogins {
  let cleanedAt: Moment = -Infinity;

  async function clean(transaction: Queries, now: Moment): Promise<void> {
    if (now < cleanedAt + CLEANING_MS) return;
    await deleteExpiredIds(transaction, now);
    cleanedAt = now;
  }

  function useAll<Login extends OneTimeId>(logins: readonly Login[]): Promise<Login | undefined> {
    return database.transaction(async (transaction) => {
      await clean(transaction, clock.now());
      const added = await transaction
        .tables<Tables>()
        .insertInto("login_request")
        .values(logins.map(({ kind, id, expiresAt }) => ({ kind, id, expires_at: expiresAt })))
        .onConflict((conflict) => conflict.doNothing())
        .returning(["kind", "id"])
        .execute();
      return logins.find(({ kind, id }) => !added.some((row) => row.kind === kind && row.id === id));
    }, UNCACHED);
  }

  return {
    seal({ kind, id, expiresAt, data }) {
      const text = JSON.stringify([expiresAt, data]);
      return sealSecret(keyOf(masterKey, kind, id), Buffer.from(text), PLACE).toString("base64url");
    },

    unseal(kind, id, text) {
      const sealed = Buffer.from(text, "base64url");
      // The decoder skips characters outside base64url: a text with such characters would still unseal.
      if (sealed.toString("base64url") !== text) return undefined;
      // A login may have begun before the master key was replaced.
      const keys = isHeld(masterKey) ? masterKey.keys : [masterKey];
      const key = keys.map((each) => keyOf(each, kind, id)).find((each) => each.id === sealedBy(sealed));
      if (key === undefined) return undefined;
      try {
        const [expiresAt, data] = JSON.parse(unsealSecret(key, sealed, PLACE).toString()) as [
          Moment,
          unknown,
        ];
        return clock.now() < expiresAt ? data : undefined;
      } catch (error) {
        if (error instanceof SealError) return undefined;
        throw error;
      }
    },

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

    use: async (login) => (await useAll([login])) === undefined,
    useAll,

    purge: async () => (await deleteExpiredIds(database, clock.now())) === MAX_DELETED_IDS,
  };
}

/** @throws {TooManyError} The network has begun too many logins. */
export type BeginLogin = (request: Pick<FederatedRequest, "clientAddress">) => Promise<void>;

/** Of each network: an office behind one address may begin as many in a minute. Each costs a signature. */
const BEGUN_LOGINS: RateLimit = { burst: 200, perSecond: 5 };
const MAX_NETWORKS = 100_000;

/** Limits how many logins each network begins, in this process. */
export function limitBegunLogins({ isLimited, clock }: BegunLoginsOptions): BeginLogin {
  if (!isLimited) return async () => {};
  const buckets = createMemoryBuckets({ ...BEGUN_LOGINS, clock, maxKeys: MAX_NETWORKS });
  return async ({ clientAddress }) => {
    const verdict = buckets.take(networkOf(clientAddress));
    if (verdict.isAllowed) return;
    const { retryAfterSeconds } = verdict;
    throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
  };
}

interface BegunLoginsOptions {
  readonly isLimited: boolean;
  readonly clock: Clock;
}

const PLACE = "login";

/** Each login has its own key, derived from the master key and its id: a key seals a few texts at most, which fit one login only. */
function keyOf({ key }: MasterKey, kind: PendingLoginKind, id: string): MasterKey {
  return toMasterKey(new Uint8Array(hkdfSync("sha256", key, id, `login/${kind}`, 32)));
}

/** How long a user may take at the provider. */
export const LOGIN_LIFE_SECONDS = 600;

/** When a login that begins now, or its mark as used, expires, in milliseconds since 1970. */
export const loginExpiry = (clock: Clock): number => clock.now() + LOGIN_LIFE_SECONDS * 1000;

/** The state that a browser carries. */
export interface BrowserState {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** The dashboard that receives the token. */
  readonly origin: string | null;
  readonly begunAt: Moment;
  /** The test login that it belongs to: it ends without a token. */
  readonly testLoginId?: string;
}

export interface BrowserLogin {
  readonly request: FederatedRequest;
  readonly protocol: Pick<EnabledProtocol, "idpId" | "id" | "authUrl">;
  readonly pendingLogins: PendingLogins;
}

export interface BeginOptions {
  readonly kind: PendingLoginKind;
  readonly id: string;
  /** What the protocol needs besides {@link BrowserState}. */
  readonly data: object;
  readonly loginCookies: LoginCookies;
  readonly clock: Clock;
  /** What providers call the URL at which a login returns. */
  readonly returnName: "redirectUri" | "acsUrl";
  /** Whether the login returns by POST from the provider's site. */
  readonly isPostedBack: boolean;
}

/** The `Set-Cookie` values that have the browser carry a login. */
export function beginInBrowser(
  { request, protocol, pendingLogins }: BrowserLogin,
  { kind, id, data, loginCookies, clock, returnName, isPostedBack }: BeginOptions,
): string[] {
  const { idpId, id: protocolId, authUrl } = protocol;
  const origin = request.origin ?? null;
  const { testLoginId } = request.trace ?? {};
  const begunAt = clock.now();
  const place: BrowserState = { identityProviderId: idpId, protocolId, origin, begunAt };
  const state = { ...place, ...data, ...(testLoginId !== undefined && { testLoginId }) };
  const expiresAt = loginExpiry(clock);
  // A provider that does not know this URL shows its own page: nothing comes back here.
  const begun = { idpId, id: protocolId, step: "begin", [returnName]: authUrl };
  request.log.info({ federation: begun }, "federated login begun");
  return loginCookies.set(request.headers.cookie, {
    sealed: pendingLogins.seal({ kind, id, data: state, expiresAt }),
    authUrl,
    lifeSeconds: LOGIN_LIFE_SECONDS,
    isPostedBack,
  });
}

const NOT_CARRIED = `the login is unknown, began in another browser, or too long ago (${LOGIN_LIFE_SECONDS} s), or ${MAX_BEGUN_LOGINS} newer ones began in this one`;

/** The state of the login that returns, with the protocol's data, or why it can't be finished. */
export function findInBrowser(
  { request, protocol, pendingLogins }: BrowserLogin,
  { kind, id }: { readonly kind: PendingLoginKind; readonly id: string },
): BrowserState | { readonly fault: string } {
  const state = readLoginCookies(request.headers.cookie, protocol.authUrl)
    .map((sealed) => pendingLogins.unseal(kind, id, sealed) as BrowserState | undefined)
    .find((each) => each !== undefined);
  if (state === undefined) return { fault: NOT_CARRIED };
  if (request.trace !== undefined) request.trace.testLoginId = state.testLoginId;
  const isHere = state.identityProviderId === protocol.idpId && state.protocolId === protocol.id;
  return isHere ? state : { fault: "the login began at another provider" };
}
