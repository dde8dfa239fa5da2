/**
 * Settings of logins through a protocol: members that Keystone does not have, since it relies on modules of a web server.
 *
 * Secrets are write-only: a view lists the names of those that are set.
 */
import { Type, type Static, type TProperties } from "typebox";

import { nullable, openObject } from "../../platform/http/validation/schema-parts.js";
import { ProtocolSettingsError } from "../identity-provider-errors.js";
import { checkKeys } from "./protocol-keys.js";
import { acceptsAccessTokens, checkWorkloadSettings, WORKLOAD_SETTINGS } from "./workload-settings.js";

const WebAddress = Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2048 });
const Word = Type.String({ minLength: 1, maxLength: 255 });
const Pem = Type.String({ pattern: "^\\s*-----BEGIN ", maxLength: 65_536 });
/** Classes of authentication, such as URIs. */
const Classes = Type.Array(Type.String({ pattern: "^[!-~]+$", maxLength: 255 }), {
  minItems: 1,
  maxItems: 16,
  uniqueItems: true,
});
const Secret = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 65_536, writeOnly: true })));

/** The prefix of attribute names, such as `OIDC-`, that mappings expect. */
const attributePrefix = { attribute_prefix: Type.Optional(Type.String({ maxLength: 64 })) };
/** Whether a logout at the provider ends tokens, and the other way round. */
const logout = { logout: Type.Optional(Type.Boolean()) };

function settings<Kind extends string, Properties extends TProperties>(type: Kind, properties: Properties) {
  return Type.Object(
    // `secrets_set` is ignored: clients send back what they have read.
    {
      type: Type.Literal(type),
      /** Whether WebSSO gives tokens to programs on the user's computer, such as keystoneauth's `v3websso`. */
      allow_loopback_websso: Type.Optional(Type.Boolean()),
      ...properties,
      secrets_set: Type.Optional(Type.Array(Type.String())),
    },
    { additionalProperties: false },
  );
}

/** OpenID Connect, with a browser, an access token, or the token of a workload. */
const OpenIdSettings = settings("openid", {
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
  ...WORKLOAD_SETTINGS,
  ...logout,
  ...attributePrefix,
});

/** SAML 2.0, with this service as the service provider. */
const Saml2Settings = settings("saml2", {
  idp_metadata_xml: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000_000 })),
  idp_metadata_url: Type.Optional(WebAddress),
  /** The entity ID of this service at the provider. */
  sp_entity_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  /** The trusted signing certificates, several during a rollover; those of the metadata, if left out. */
  idp_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  /** The trusted signers of the metadata, several during a rollover; unsigned metadata is accepted, if left out. */
  idp_metadata_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  /** Whether the provider has to authenticate the user anew at each login (ForceAuthn). */
  force_authn: Type.Optional(Type.Boolean()),
  /** Requested authentication contexts (RequestedAuthnContext). */
  authn_contexts: Type.Optional(Classes),
  /** `exact` if left out. */
  authn_context_comparison: Type.Optional(Type.Enum(["exact", "minimum", "maximum", "better"])),
  sp_certificate: Type.Optional(Pem),
  sp_private_key: Secret,
  allow_sha1: Type.Optional(Type.Boolean()),
  /** Accepts unsolicited assertions without an audience, as clients bring them from another Keystone. */
  allow_missing_audience: Type.Optional(Type.Boolean()),
  ...logout,
  ...attributePrefix,
});

/** A trusted front end that forwards the assertion in headers. */
const ForwardedSettings = settings("forwarded", {
  header: Type.Optional(Word),
  header_prefix: Type.Optional(Word),
  ...attributePrefix,
});

export const ProtocolSettingsDraft = Type.Union([
  OpenIdSettings,
  Saml2Settings,
  ForwardedSettings,
  Type.Null(),
]);
export type ProtocolSettingsDraft = NonNullable<Static<typeof ProtocolSettingsDraft>>;

export const SETTINGS_TYPES = ["openid", "saml2", "forwarded"] as const;

/** Settings in responses: without secrets, with the names of the secrets that are set. */
export const ProtocolSettingsView = openObject({
  type: Type.Enum([...SETTINGS_TYPES]),
  secrets_set: Type.Array(Type.String()),
});

export const SECRET_NAMES = ["client_secret", "client_private_key", "sp_private_key"] as const;

/** The name of a secret setting. */
export type SecretName = (typeof SECRET_NAMES)[number];

/** Settings without their secrets. */
export type PublicSettings = DistributiveOmit<ProtocolSettingsDraft, SecretName | "secrets_set">;

type DistributiveOmit<Value, Names extends PropertyKey> = Value extends unknown ? Omit<Value, Names> : never;

/** Settings with their secrets, for logins. */
export type OpenedSettings = DistributiveOmit<ProtocolSettingsDraft, "secrets_set">;

export interface SplitSettings {
  readonly settings: PublicSettings;
  /** New values by name; `null` deletes a secret. */
  readonly secrets: ReadonlyMap<SecretName, string | null>;
}

/**
 * Splits settings into public ones and secrets.
 *
 * @throws {ProtocolSettingsError} The settings contradict themselves.
 */
export function splitSettings(draft: ProtocolSettingsDraft): SplitSettings {
  checkSettings(draft);
  const shown: Record<string, unknown> = { ...draft };
  const secrets = new Map<SecretName, string | null>();
  for (const name of SECRET_NAMES) {
    const value = shown[name];
    if (value !== undefined) secrets.set(name, value as string | null);
    delete shown[name];
  }
  delete shown["secrets_set"];
  return { settings: shown as unknown as PublicSettings, secrets };
}

function checkSettings(draft: ProtocolSettingsDraft): void {
  if (draft.type !== "forwarded") checkKeys(draft);
  if (draft.type === "openid") checkWorkloadSettings(draft);
  if (draft.type === "openid" && draft.logout === true && !acceptsAccessTokens(draft))
    throw new ProtocolSettingsError(
      'settings: "logout" needs "token_kinds" with "access_token": workloads have no sessions',
    );
  if (draft.type === "saml2") {
    const sources = [draft.idp_metadata_xml, draft.idp_metadata_url].filter((source) => source !== undefined);
    if (sources.length !== 1)
      throw new ProtocolSettingsError(
        'settings: one of "idp_metadata_xml" and "idp_metadata_url" is needed, and not both',
      );
    if (draft.authn_context_comparison !== undefined && draft.authn_contexts === undefined)
      throw new ProtocolSettingsError('settings: "authn_context_comparison" needs "authn_contexts"');
  }
  if (draft.type === "forwarded" && draft.header !== undefined && draft.header_prefix !== undefined)
    throw new ProtocolSettingsError('settings: "header" and "header_prefix" exclude each other');
}
