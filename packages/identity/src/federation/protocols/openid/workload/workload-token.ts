/**
 * Validates the signed token of a workload: a CI job, a service account, a SPIFFE workload. It is neither the ID token of a login nor
 * an access token (RFC 9068), and is accepted for the workload that the protocol's conditions name.
 */
import { createHash } from "node:crypto";

import { decodeProtectedHeader, type JWTPayload, type JWTVerifyGetKey } from "jose";

import type { Clock } from "../../../../platform/clock.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import type { Workload } from "../../../assertion-verifier.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import type { LoginTrace } from "../../../login-trace.js";
import { settingsDigest } from "../../../published/refreshing-cache.js";
import { claimAttributes, type ClaimAttributes } from "../claim-attributes.js";
import { quotedClaim } from "../claims.js";
import {
  MAX_WORKLOAD_USERS,
  UNUSED_DAYS,
  type ClaimCondition,
  type AnyOpenIdSettings,
} from "../openid-settings.js";
import { refusing } from "../provider-requests.js";
import { verifySigned } from "../signed-token.js";
import { isOtherToken } from "../token-kind.js";
import { conditionFault, hasUnusableCharacter, pullRequestFault } from "./workload-conditions.js";

type WorkloadSettings = AnyOpenIdSettings;

/** Of a token: those of the known issuers have 1 to 4 KB. */
const MAX_TOKEN_CHARACTERS = 16_384;
/** Values of `typ`. SPIFFE allows `JOSE` (JWT-SVID, 2.3). */
const TYPES: ReadonlySet<string> = new Set(["jwt", "jose", "at+jwt"]);

export interface WorkloadCheck {
  readonly settings: WorkloadSettings;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
  readonly trace?: Pick<LoginTrace, "passed"> | undefined;
}

export interface VerifiedWorkload {
  readonly claims: JWTPayload;
  /** The same as mapping rules see them. */
  readonly described: ClaimAttributes;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly workload: Workload;
}

/** @throws {AssertionRefusedError} */
export async function verifyWorkload(
  token: string,
  { settings, keys, clock, trace }: WorkloadCheck,
): Promise<VerifiedWorkload> {
  const { issuer, audiences = [], conditions = [] } = settings;
  if (token.length > MAX_TOKEN_CHARACTERS)
    throw refused(`the token has ${token.length} characters, expected at most ${MAX_TOKEN_CHARACTERS}`);
  trace?.passed({ check: "message", message: "token of a workload, a signed JWT" });
  const claims = await refusing("workload", () =>
    verifySigned(token, keys, { issuer, audiences, requiredClaims: ["exp", "sub", "aud"], clock, trace }),
  );
  checkKind(decodeProtectedHeader(token).typ, claims);
  checkAudiences(claims, audiences);
  const subject = subjectOf(claims);
  const described = claimAttributes(claims, settings);
  const fault = conditionFault(conditions, described);
  if (fault !== undefined) throw refused(fault, "conditions");
  const pullRequest = settings.allow_pull_requests === true ? undefined : pullRequestFault(claims, described);
  if (pullRequest !== undefined) throw refused(pullRequest, "conditions");
  trace?.passed({ check: "conditions", message: tracedConditions(conditions, subject) });
  return {
    claims,
    described,
    expiresAt: Math.floor((claims.exp ?? 0) * 1000),
    workload: {
      subject,
      isStored: settings.persist_user ?? true,
      maxUsers: settings.max_users ?? MAX_WORKLOAD_USERS,
      unusedDays: settings.unused_days ?? UNUSED_DAYS,
    },
  };
}

function checkKind(type: string | undefined, claims: JWTPayload): void {
  if (type !== undefined && !TYPES.has(type.toLowerCase().replace(/^application\//, "")))
    throw refused(`"typ" of the token's header is ${quoted(type)}, expected "JWT" or none`);
  if (isOtherToken(claims))
    throw refused(
      "the token is an ID token of a login or a security event, expected the token of a workload",
    );
  if (claims["cnf"] !== undefined)
    throw refused('the token is bound to a key of the client ("cnf"), expected a plain bearer token');
}

/** A token that other services receive too could be brought here by each of them. */
function checkAudiences({ aud }: JWTPayload, audiences: readonly string[]): void {
  const foreign = [aud].flat().filter((each) => each === undefined || !audiences.includes(each));
  if (foreign.length > 0)
    throw refused(
      `unexpected "aud": ${quotedClaim(foreign)} in addition to ${quotedClaim(audiences)}, expected no other (audiences)`,
      "audience",
    );
}

/** Identifies the user, character for character: two subjects are never the same user. */
function subjectOf({ sub = "" }: JWTPayload): string {
  if (hasUnusableCharacter(sub))
    throw refused(`"sub" is ${quoted(sub)}, expected no control characters and well-formed Unicode`);
  return sub;
}

/** The claims that a condition names, and whose token it is. */
function tracedConditions(conditions: readonly ClaimCondition[], subject: string): string {
  const claims = conditions.map(({ claim }) => quoted(claim)).join(", ");
  return `workload ${quoted(subject)}${claims === "" ? "; no conditions" : `: as the conditions on ${claims} expect`}`;
}

/** @param check The check of a test login, where it is none of the token's form. */
function refused(reason: string, check?: string): AssertionRefusedError {
  return new AssertionRefusedError(
    { step: "workload", reason },
    check === undefined ? {} : { details: { check } },
  );
}

/** Jobs that log in at the same time. Some 3 KB each. */
const MAX_CACHED = 250;

interface Cached {
  readonly keys: JWTVerifyGetKey;
  readonly verified: VerifiedWorkload;
}

/**
 * A cache of verified tokens: each command of a job logs in with the same one, and verification takes a third of a login. Keys and
 * settings are those of the verification, and the token has not expired: nothing else that it depends on changes.
 *
 * @returns A function that verifies tokens; it throws {@link AssertionRefusedError}.
 */
export function createWorkloadVerification(verify = verifyWorkload) {
  const cache = new Map<string, Cached>();

  return async (token: string, check: WorkloadCheck): Promise<VerifiedWorkload> => {
    const { keys, settings, clock, trace } = check;
    // A test login shows each check: each is made.
    if (trace !== undefined) return verify(token, check);
    const digest = createHash("sha256").update(settingsDigest(settings)).update(token).digest("base64");
    const known = cache.get(digest);
    if (known?.keys === keys && clock.now() < known.verified.expiresAt) return known.verified;
    cache.delete(digest);
    const verified = await verify(token, check);
    cache.set(digest, { keys, verified });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return verified;
  };
}
