/** Logout by OpenID Connect: logout tokens of providers, and the address at which a provider logs a browser out. */
import { createHash } from "node:crypto";

import { decodeProtectedHeader } from "jose";
import * as openid from "openid-client";

import type { Clock } from "../../../platform/clock.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { LEEWAY_SECONDS } from "../../leeway.js";
import type { ProviderLogout } from "../../logout/provider-sessions.js";
import { quotedClaim } from "./claims.js";
import type { OpenIdSettings } from "./openid-settings.js";
import type { ProviderConnection } from "./provider-connections.js";
import { refusing } from "./provider-requests.js";
import { verifySigned } from "./signed-token.js";

/** A valid logout token. */
export interface LogoutTokenFacts extends ProviderLogout {
  /** Identifies the token among those of all issuers. */
  readonly tokenId: string;
  /** Until then it must not be used again, in milliseconds since 1970. */
  readonly usableUntil: number;
}

export interface LogoutTokenCheck {
  readonly connection: ProviderConnection;
  readonly settings: OpenIdSettings;
  readonly clock: Clock;
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** The maximum lifetime of a logout token, from "iat" to "exp": it is kept as used for that long. */
const MAX_LIFETIME_SECONDS = 86_400;

/**
 * @see OpenID Connect Back-Channel Logout 1.0, 2.6
 * @throws {AssertionRefusedError} An invalid token.
 */
export async function readLogoutToken(token: string, check: LogoutTokenCheck): Promise<LogoutTokenFacts> {
  const { connection, settings, clock } = check;
  const { issuer, client_id: clientId } = settings;
  const claims = await refusing("logout-token", async () => {
    checkType(decodeProtectedHeader(token).typ);
    return verifySigned(token, connection.keys, {
      issuer,
      audiences: [clientId],
      requiredClaims: ["iat", "exp", "jti", "events"],
      clock,
    });
  });
  const { iat, exp, jti, sub, sid, events, nonce } = claims as Record<string, unknown>;
  if (nonce !== undefined) throw refused('the token has a "nonce", as ID tokens have, expected none');
  if (!isObject(events) || !isObject(events[EVENT]))
    throw refused(`"events" has no member "${EVENT}": it is no logout token`);
  if (!isText(jti)) throw refused(`"jti" is ${quotedClaim(jti)}, expected a text`);
  for (const [name, value] of Object.entries({ sub, sid }))
    if (value !== undefined && !isText(value)) throw refused(`"${name}" is no text, or empty`);
  if (sub === undefined && sid === undefined) throw refused('the token has neither "sub" nor "sid"');
  const { issuedAt, expiresAt } = timesOf(iat, exp);
  return {
    subject: sub === undefined ? undefined : [sub as string],
    indexes: sid === undefined ? [] : [sid as string],
    issuedAt: issuedAt * 1000,
    tokenId: createHash("sha256")
      .update(JSON.stringify([issuer, jti]))
      .digest("base64url"),
    usableUntil: (expiresAt + LEEWAY_SECONDS) * 1000,
  };
}

/** An explicit type is optional; tokens of other types are rejected. */
function checkType(typ: unknown = "JWT"): void {
  const type = String(typ)
    .toLowerCase()
    .replace(/^application\//, "");
  if (type !== "logout+jwt" && type !== "jwt")
    throw refused(`"typ" of the header is ${quotedClaim(typ)}, expected "logout+jwt"`);
}

/** Both were compared with the clock before. */
function timesOf(iat: unknown, exp: unknown) {
  const [issuedAt, expiresAt] = [iat as number, exp as number];
  if (expiresAt > issuedAt + MAX_LIFETIME_SECONDS)
    throw refused(
      `"exp" is ${expiresAt - issuedAt} s after "iat", expected at most ${MAX_LIFETIME_SECONDS} s`,
    );
  return { issuedAt, expiresAt };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "logout-token", reason });
}

/** What a logout at the provider requires, of a session. */
export interface OpenIdSessionHint {
  /** The ID token; `undefined` after a login with an access token. */
  readonly idToken: string | undefined;
}

export interface EndSessionRequest {
  readonly hint: OpenIdSessionHint;
  /** Where the provider sends the browser back to, as registered there. */
  readonly returnUrl: string;
  /** Returned with it. */
  readonly state: string | undefined;
}

/**
 * Where the provider logs the browser out; `undefined` where it has no such endpoint.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0
 */
export function endSessionUrl(
  { configuration }: ProviderConnection,
  { hint: { idToken }, returnUrl, state }: EndSessionRequest,
): string | undefined {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
  return openid.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: returnUrl,
    ...(idToken !== undefined && { id_token_hint: idToken }),
    ...(state !== undefined && { state }),
  }).href;
}
