/** What a provider tells of a user beside what a token says. */
import * as openid from "openid-client";

import type { VerifierLog } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { Claims } from "./claim-attributes.js";
import type { ProviderConnection } from "./provider-connections.js";

export interface UserInfoRequest {
  readonly connection: ProviderConnection;
  readonly accessToken: string;
  /** What a token says already, which counts first. */
  readonly claims: Claims;
  /** Whether the login is refused without an answer. */
  readonly isNeeded: boolean;
  readonly log: VerifierLog;
}

/** The claims, and those of the same user that only the provider's userinfo tells. */
export async function withUserInfo({
  connection: { configuration },
  accessToken,
  claims,
  isNeeded,
  log,
}: UserInfoRequest): Promise<Claims> {
  const { sub } = claims;
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (isNeeded && (!hasUserInfo || typeof sub !== "string"))
    throw new AssertionRefusedError({ step: "userinfo", reason: "nobody says that it is an access token" });
  if (!hasUserInfo || typeof sub !== "string") return claims;
  try {
    return { ...(await openid.fetchUserInfo(configuration, accessToken, sub)), ...claims };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "no answer";
    if (isNeeded) throw new AssertionRefusedError({ step: "userinfo", reason }, { cause: error });
    // Rules refuse whom they know too little of.
    log.warn({ step: "userinfo", reason }, "the provider tells nothing more of a user");
    return claims;
  }
}

/** Claims that tell who somebody is to people: a token without them leaves that to userinfo. */
const NAMES = ["preferred_username", "username", "email", "name", "upn", "unique_name"];

/** Whether userinfo would answer to an access token, and tell something new. */
export function leavesNamesOut(claims: Claims): boolean {
  const scopes = [claims["scope"], claims["scp"]].flat().join(" ").split(" ");
  return scopes.includes("openid") && !NAMES.some((name) => name in claims);
}
