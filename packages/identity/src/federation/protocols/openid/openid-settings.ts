/** The settings of OpenID Connect protocols, also of those that accept tokens of workloads: CI jobs, service accounts, SPIFFE workloads. */
import { Type, type Static } from "typebox";

import { ProtocolSettingsError } from "../../../identity-providers/identity-provider-errors.js";
import {
  settingsSchema,
  type PublicSettings,
} from "../../../identity-providers/protocols/protocol-settings.js";
import {
  checkKeys,
  attributePrefix,
  Classes,
  logout,
  Pem,
  Secret,
  WebAddress,
  Word,
} from "../settings-parts.js";
import { createPublicKey, type JsonWebKey } from "node:crypto";
import { jwkWeakness } from "../../../platform/secrets/key-strength.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { IDENTIFYING_CLAIMS, isNumberPattern, namesOwner } from "./workload/workload-owners.js";

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

/** OpenID Connect, with a browser, an access token, or the token of a workload. */
export const OpenIdSchema = settingsSchema("openid", {
  issuer: WebAddress,
  /** Only a protocol for workloads alone has none. */
  client_id: Type.Optional(Word),
  client_secret: Secret,
  /** Signs client assertions, instead of the client secret. */
  client_private_key: Secret,
  client_auth_method: Type.Optional(
    Type.Enum(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]),
  ),
  scopes: Type.Optional(Type.Array(Word, { maxItems: 64, uniqueItems: true })),
  /** Audiences of access tokens that are accepted in addition to the client; the only audiences of workloads. */
  audiences: Type.Optional(Type.Array(Word, { maxItems: 64, uniqueItems: true })),
  /** Clients whose access tokens are accepted whatever their audience: they obtain tokens for this service only. */
  access_token_clients: Type.Optional(Type.Array(Word, { minItems: 1, maxItems: 64, uniqueItems: true })),
  /** `always`: each login needs the provider's userinfo. Otherwise it is requested where the token lacks claims. */
  userinfo: Type.Optional(Type.Enum(["always", "as_needed"])),
  /** Returns the client of an opaque token, for providers without introspection. */
  token_info_url: Type.Optional(WebAddress),
  /** Requested classes of authentication: the tokens' `acr` has to be one of them. */
  acr_values: Type.Optional(Classes),
  /** Seconds since the user's authentication: the tokens' `auth_time` must not be longer ago. */
  max_age: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
  /** The certificate authorities of the provider's addresses, instead of the public ones. */
  ca_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  /** How claims are written: numbers, booleans and objects as mod_auth_openidc does, for mappings that were written for it. */
  claims_format: Type.Optional(Type.Enum(["plain", "mod_auth_openidc"])),
  /** Names of claims that are objects, and stand for the list of their keys. */
  claims_as_keys: Type.Optional(Type.Array(Word, { minItems: 1, maxItems: 16, uniqueItems: true })),
  ...WORKLOAD_SETTINGS,
  ...logout,
  ...attributePrefix,
});

export const OPENID_SECRETS = ["client_secret", "client_private_key"] as const;

type Draft = Static<typeof OpenIdSchema>;
/** With secrets. */
export type AnyOpenIdSettings = Omit<Draft, "secrets_set">;
/** The settings of a protocol that is a client at the provider: all but those for workloads alone. */
export type OpenIdSettings = AnyOpenIdSettings & { readonly client_id: string };

export type PublicOpenIdSettings = Omit<AnyOpenIdSettings, (typeof OPENID_SECRETS)[number]>;

export function isOpenId(settings: PublicSettings | null | undefined): settings is AnyOpenIdSettings {
  return settings?.type === "openid";
}

/** Whether they accept tokens of workloads. */
export function isForWorkloads(settings: PublicSettings | null | undefined): settings is AnyOpenIdSettings {
  return isOpenId(settings) && acceptsWorkloads(settings);
}

/** @throws {ProtocolSettingsError} */
export function checkOpenIdSettings(draft: AnyOpenIdSettings): void {
  checkKeys(draft);
  checkWorkloadSettings(draft);
  if (draft.logout === true && !acceptsAccessTokens(draft))
    throw new ProtocolSettingsError(
      'settings: "logout" needs "token_kinds" with "access_token": workloads have no sessions',
    );
}

type WorkloadSettings = {
  readonly [Name in keyof typeof WORKLOAD_SETTINGS]?: Static<(typeof WORKLOAD_SETTINGS)[Name]> | undefined;
};

/** The settings that the checks read. */
export interface CheckedSettings extends WorkloadSettings {
  readonly client_id?: string;
  readonly audiences?: readonly string[];
}

/** The default of `scopes`, beside `openid`. */
export const DEFAULT_SCOPES = ["profile", "email"];
/** The default of `max_users`. */
export const MAX_WORKLOAD_USERS = 10_000;
/** The default of `unused_days`. */
export const UNUSED_DAYS = 30;

const ONLY_WITH_WORKLOAD = Object.keys(WORKLOAD_SETTINGS).filter((name) => name !== "token_kinds");

export function acceptsWorkloads({ token_kinds: kinds = [] }: WorkloadSettings): boolean {
  return kinds.includes("workload");
}

/** Without the key, every other kind needs a client. */
export function acceptsAccessTokens({ token_kinds: kinds = ["access_token"] }: WorkloadSettings): boolean {
  return kinds.includes("access_token");
}

/** @throws {ProtocolSettingsError} The settings would accept tokens of others, or contradict themselves. */
export function checkWorkloadSettings(settings: CheckedSettings): void {
  const { client_id: clientId, audiences = [], jwks, jwks_uri: jwksUri } = settings;
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
  const broad = broadCondition(settings);
  if (broad !== undefined) throw fault(broad);
}

/** Why the conditions accept workloads of any owner; `undefined` if they do not. */
export function broadCondition({ conditions = [] }: CheckedSettings): string | undefined {
  for (const { claim, values } of conditions) {
    const pattern = values.find((value) => isNumberPattern(claim, value));
    if (pattern !== undefined)
      return `"conditions" has ${quoted(pattern)} for the number "${claim}", expected the whole number`;
  }
  if (conditions.some(({ claim, values }) => values.every((value) => namesOwner(claim, value))))
    return undefined;
  const claims = IDENTIFYING_CLAIMS.map((name) => `"${name}"`).join(", ");
  const needed = `"conditions" needs one on ${claims} whose values name an owner, with the delimiter that ends its name, before the first "*"`;
  const [example] = conditions
    .filter(({ claim }) => IDENTIFYING_CLAIMS.includes(claim))
    .flatMap(({ claim, values }) =>
      values.filter((value) => !namesOwner(claim, value)).map((value) => ({ claim, value })),
    );
  return example === undefined
    ? needed
    : `${needed}: ${quoted(example.value)} for "${example.claim}" accepts workloads of other owners too`;
}

/** The uses of keys that verify tokens; SPIFFE has one of its own. Others stand beside them in SPIFFE's bundles. */
const USES: ReadonlySet<unknown> = new Set([undefined, "sig", "jwt-svid"]);

function checkJwks(keys: readonly JsonWebKey[]): void {
  const signing = Array.from(keys.entries()).filter(([, { use }]) => USES.has(use));
  if (signing.length === 0) throw fault('"jwks" has no key with "use": "sig" or without a use');
  for (const [index, key] of signing) checkJwk(`jwks.keys[${index}]`, key);
}

function checkJwk(name: string, key: JsonWebKey): void {
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
