/** Settings of OpenID Connect protocols that accept tokens of workloads: CI jobs, service accounts, SPIFFE workloads. */
import { createPublicKey, type JsonWebKey } from "node:crypto";

import { Type, type Static } from "typebox";

import { jwkWeakness } from "../../platform/secrets/key-strength.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { ProtocolSettingsError } from "../identity-provider-errors.js";

/** A claim, and the values of which it has to have one. A `*` stands for any characters, also none; the rest is compared exactly. */
const Condition = Type.Object(
  {
    claim: Type.String({ minLength: 1, maxLength: 255 }),
    values: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { minItems: 1, maxItems: 256 }),
  },
  { additionalProperties: false },
);
export type ClaimCondition = Static<typeof Condition>;

/** Members of the settings; `issuer` and `audiences` are those of OpenID Connect. */
export const WORKLOAD_SETTINGS = {
  /** `access_token` alone, if left out. */
  token_kinds: Type.Optional(
    Type.Array(Type.Enum(["access_token", "workload"]), { minItems: 1, maxItems: 2, uniqueItems: true }),
  ),
  /** The keys, instead of those of the discovery document. */
  jwks_uri: Type.Optional(Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2048 })),
  jwks: Type.Optional(
    Type.Object({
      keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 64 }),
    }),
  ),
  /** All of them have to hold. */
  conditions: Type.Optional(Type.Array(Condition, { minItems: 1, maxItems: 64 })),
  allow_pull_requests: Type.Optional(Type.Boolean()),
  /** Without it, users have no row: a token carries what it shows. */
  persist_user: Type.Optional(Type.Boolean()),
  max_users: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  /** Users who have not logged in for this many days are deleted. */
  unused_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
};

type WorkloadSettings = {
  readonly [Name in keyof typeof WORKLOAD_SETTINGS]?: Static<(typeof WORKLOAD_SETTINGS)[Name]> | undefined;
};

/** The settings that the checks read. */
export interface CheckedSettings extends WorkloadSettings {
  readonly client_id?: string;
  readonly audiences?: readonly string[];
}

/** The default of `max_users`. */
export const MAX_WORKLOAD_USERS = 10_000;
/** The default of `unused_days`. */
export const UNUSED_DAYS = 30;

const ONLY_WITH_WORKLOAD = Object.keys(WORKLOAD_SETTINGS).filter((name) => name !== "token_kinds");

/** Claims that identify the repository or project whose job has the token; `sub` names it as well. */
const REPOSITORY_CLAIMS: ReadonlySet<string> = new Set([
  "sub",
  "repository",
  "repository_id",
  "repository_owner",
  "repository_owner_id",
  "project_path",
  "project_id",
  "namespace_path",
  "namespace_id",
]);

/** What all subjects of an issuer begin with: GitHub (also with claims of the operator's choice), GitLab, Kubernetes, SPIFFE. */
const COMMON_BEGINNINGS: ReadonlySet<string> = new Set([
  "",
  "repo:",
  "repository:",
  "repository_id:",
  "repository_owner:",
  "repository_owner_id:",
  "job_workflow_ref:",
  "project_path:",
  "system:serviceaccount:",
  "spiffe://",
]);

export function acceptsWorkloads({ token_kinds: kinds = [] }: WorkloadSettings): boolean {
  return kinds.includes("workload");
}

/** Without the key, every other kind needs a client. */
export function acceptsAccessTokens({ token_kinds: kinds = ["access_token"] }: WorkloadSettings): boolean {
  return kinds.includes("access_token");
}

/** @throws {ProtocolSettingsError} The settings would accept tokens of others, or contradict themselves. */
export function checkWorkloadSettings(settings: CheckedSettings): void {
  const { client_id: clientId, audiences = [], conditions = [], jwks, jwks_uri: jwksUri } = settings;
  if (acceptsAccessTokens(settings) && clientId === undefined)
    throw fault('"client_id" is required, unless "token_kinds" is ["workload"]');
  if (!acceptsWorkloads(settings)) {
    const surplus = ONLY_WITH_WORKLOAD.find((name) => name in settings);
    if (surplus !== undefined) throw fault(`"${surplus}" needs "token_kinds" with "workload"`);
    return;
  }
  if (audiences.length === 0) throw fault('"audiences" is required with "token_kinds": ["workload"]');
  if (clientId !== undefined && audiences.includes(clientId))
    throw fault(
      `"audiences" contains the client_id ${quoted(clientId)}: ID tokens of its users would be tokens of workloads; expected an audience of its own`,
    );
  if (jwks !== undefined && jwksUri !== undefined) throw fault('"jwks" and "jwks_uri" exclude each other');
  if ((jwks ?? jwksUri) !== undefined && acceptsAccessTokens(settings))
    throw fault('"jwks" and "jwks_uri" need "token_kinds": ["workload"]: other tokens need discovery');
  if (jwks !== undefined) checkJwks(jwks.keys);
  if (!conditions.some(isIdentifying))
    throw fault(
      `"conditions" needs one on ${[...REPOSITORY_CLAIMS].map((name) => `"${name}"`).join(", ")} whose values name an owner before the first "*"`,
    );
}

/** Whether none of the values accepts workloads of any owner: `*`, `repo:*`, or `*` before the rest. */
function isIdentifying({ claim, values }: ClaimCondition): boolean {
  return (
    REPOSITORY_CLAIMS.has(claim) &&
    values.every((value) => {
      const [beginning = "", ...rest] = value.split("*");
      return rest.length === 0 || !COMMON_BEGINNINGS.has(beginning);
    })
  );
}

/** The uses of keys that verify tokens; SPIFFE has one of its own. Others stand beside them in SPIFFE's bundles. */
const USES: ReadonlySet<unknown> = new Set([undefined, "sig", "jwt-svid"]);

function checkJwks(keys: readonly JsonWebKey[]): void {
  const signing = Array.from(keys.entries()).filter(([, { use }]) => USES.has(use));
  if (signing.length === 0) throw fault('"jwks" has no key with "use": "sig" or without a use');
  for (const [index, key] of signing) checkJwk(`jwks.keys[${index}]`, key);
}

/** Members of private and symmetric keys (RFC 7518, 6). */
const SECRET_MEMBERS = ["d", "k"];

function checkJwk(name: string, key: JsonWebKey): void {
  const secret = SECRET_MEMBERS.find((member) => member in key);
  if (secret !== undefined) throw fault(`"${name}" has the secret member "${secret}", expected a public key`);
  const weakness = jwkWeakness(key);
  if (weakness !== undefined) throw fault(`"${name}" has an ${weakness}`);
  try {
    createPublicKey({ key, format: "jwk" });
  } catch (cause) {
    throw fault(`"${name}" is no public key of type RSA, EC or OKP (kty ${quoted(String(key.kty))})`, cause);
  }
}

function fault(reason: string, cause?: unknown): ProtocolSettingsError {
  return new ProtocolSettingsError(`settings: ${reason}`, { cause });
}
