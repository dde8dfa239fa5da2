/**
 * Logins that continue at a provider: each may return once, to any replica.
 *
 * The browser carries the login's state, sealed: to begin a login writes nothing, however many are never finished. The database
 * records which were finished, as ids that are valid once.
 */
import { hkdfSync } from "node:crypto";

import type { Platform } from "../../area.js";
import type { Clock, Moment } from "../../platform/clock.js";
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
import { createOneTimeIds, type OneTimeId, type OneTimeIdKind, type OneTimeIds } from "../one-time-ids.js";
import { MAX_BEGUN_LOGINS, readLoginCookies, type LoginCookies } from "./login-cookies.js";

export interface PendingLogins extends OneTimeIds {
  /**
   * Seals the state of a login: its bearer can neither read nor forge it.
   *
   * @param login.data Any JSON value.
   */
  seal(login: OneTimeId & { readonly data: unknown }): string;
  /** The state of a login; `undefined` if the text belongs to another login, or has expired. */
  unseal(kind: OneTimeIdKind, id: string, sealed: string): unknown;
}

export type PendingLoginsDeps = Pick<Platform, "database" | "clock" | "masterKey">;

export function createPendingLogins({ database, clock, masterKey }: PendingLoginsDeps): PendingLogins {
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

    ...createOneTimeIds({ database, clock }),
  };
}

const PLACE = "login";

/** Each login has its own key, derived from the master key and its id: a key seals a few texts at most, which fit one login only. */
function keyOf({ key }: MasterKey, kind: OneTimeIdKind, id: string): MasterKey {
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
  readonly kind: OneTimeIdKind;
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
  { kind, id }: { readonly kind: OneTimeIdKind; readonly id: string },
): BrowserState | { readonly fault: string } {
  const state = readLoginCookies(request.headers.cookie, protocol.authUrl)
    .map((sealed) => pendingLogins.unseal(kind, id, sealed) as BrowserState | undefined)
    .find((each) => each !== undefined);
  if (state === undefined) return { fault: NOT_CARRIED };
  if (request.trace !== undefined) request.trace.testLoginId = state.testLoginId;
  const isHere = state.identityProviderId === protocol.idpId && state.protocolId === protocol.id;
  return isHere ? state : { fault: "the login began at another provider" };
}
