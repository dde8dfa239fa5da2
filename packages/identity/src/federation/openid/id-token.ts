/** What an ID token says of the client and of the access token that came with it. The library leaves both to its callers. */
import { createHash, timingSafeEqual } from "node:crypto";

import { decodeProtectedHeader } from "jose";

import { AssertionRefusedError } from "../federation-errors.js";
import type { Claims } from "./claim-attributes.js";

export interface IssuedTokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly clientId: string;
}

/**
 * @throws {AssertionRefusedError} `azp` names another client, or `at_hash` is of another access token: then userinfo would tell of
 *   somebody else.
 * @see OpenID Connect Core 1.0, 3.1.3.7 (5) and 3.1.3.8
 */
export function checkIdToken(
  { azp, at_hash }: Claims,
  { idToken, accessToken, clientId }: IssuedTokens,
): void {
  if (azp !== undefined && azp !== clientId) throw refused('unexpected "azp": it is not the "client_id"');
  if (at_hash !== undefined && !isHashOf(at_hash, accessToken, algorithmOf(idToken)))
    throw refused('"at_hash" is not that of the access token');
}

/** The left half of the hash of the signature's algorithm. */
function isHashOf(hash: unknown, accessToken: string, algorithm: string): boolean {
  const full = createHash(hashNameOf(algorithm)).update(accessToken).digest();
  const expected = Buffer.from(full.subarray(0, full.length / 2).toString("base64url"));
  const given = Buffer.from(typeof hash === "string" ? hash.replace(/=+$/, "") : "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function algorithmOf(idToken: string): string {
  return decodeProtectedHeader(idToken).alg ?? "";
}

/** `RS256`, `PS384`, `ES512` name theirs. Ed25519 hashes with SHA-512. */
function hashNameOf(algorithm: string): string {
  const bits = /^[RPE]S(256|384|512)$/.exec(algorithm)?.[1] ?? "512";
  return `sha${bits}`;
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "id-token", reason });
}
