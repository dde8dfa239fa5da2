/** An issuer of workloads' tokens, made with jose. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";

import { SignJWT, type JWTPayload } from "jose";

export const AUDIENCE = "https://id.example.org";

/** Claims of a job of GitHub's, as GitHub documents them. */
export const GITHUB_JOB = {
  jti: "6f4762ed-0758-4ccb-808d-ee3af5d723a8",
  sub: "repo:octo-org/octo-repo:ref:refs/heads/main",
  ref: "refs/heads/main",
  sha: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
  repository: "octo-org/octo-repo",
  repository_owner: "octo-org",
  repository_id: "74",
  repository_owner_id: "65",
  run_id: "577902184",
  actor: "octocat",
  workflow: "deploy",
  head_ref: "",
  base_ref: "",
  event_name: "push",
  ref_type: "branch",
  iss: "https://token.actions.githubusercontent.com",
};

export interface Issuer {
  readonly privateKey: KeyObject;
  /** The public key, as a JWKS has it. */
  readonly jwk: Readonly<Record<string, unknown>>;
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export function createIssuer(kid = "first"): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
  return {
    privateKey,
    jwk,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid, typ: "JWT", ...header }).sign(privateKey),
  };
}

/** Claims of a job that are valid at a moment (in milliseconds), with a test's changes. */
export function jobAt(now: number, changes: JWTPayload = {}): JWTPayload {
  const iat = Math.floor(now / 1000);
  return { ...GITHUB_JOB, aud: AUDIENCE, iat, nbf: iat - 300, exp: iat + 300, ...changes };
}
