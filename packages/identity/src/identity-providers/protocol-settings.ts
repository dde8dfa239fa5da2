/**
 * How users come in by a protocol: members of it that Keystone does not have, where a web server's modules do this.
 *
 * Secrets among them are written and never read: a view tells which are set.
 */
import { Type, type Static, type TProperties } from "typebox";

import { nullable, openObject } from "../platform/http/validation/schema-parts.js";
import { ProtocolSettingsError } from "./identity-provider-errors.js";
import { checkKeys } from "./protocol-keys.js";

const WebAddress = Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2048 });
const Word = Type.String({ minLength: 1, maxLength: 255 });
const Pem = Type.String({ pattern: "^\\s*-----BEGIN ", maxLength: 65_536 });
const Secret = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 65_536, writeOnly: true })));

/** What stands before the names of attributes, such as `OIDC-`, where mappings expect it. */
const attributePrefix = { attribute_prefix: Type.Optional(Type.String({ maxLength: 64 })) };

function settings<Kind extends string, Properties extends TProperties>(type: Kind, properties: Properties) {
  return Type.Object(
    // A view sent back is as good as what it shows.
    { type: Type.Literal(type), ...properties, secrets_set: Type.Optional(Type.Array(Type.String())) },
    { additionalProperties: false },
  );
}

/** OpenID Connect: by the browser, or with an access token. */
const OpenIdSettings = settings("openid", {
  issuer: WebAddress,
  client_id: Word,
  client_secret: Secret,
  /** Signs what proves the client, in the place of the secret. */
  client_private_key: Secret,
  client_auth_method: Type.Optional(
    Type.Enum(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]),
  ),
  scopes: Type.Optional(Type.Array(Word, { maxItems: 64, uniqueItems: true })),
  /** Whom access tokens may be meant for, beside the client. */
  audiences: Type.Optional(Type.Array(Word, { maxItems: 64, uniqueItems: true })),
  /** Tells whom an opaque token was issued to, where the provider has no introspection. */
  token_info_url: Type.Optional(WebAddress),
  ...attributePrefix,
});

/** SAML 2.0, in which the service is a service provider. */
const Saml2Settings = settings("saml2", {
  idp_metadata_xml: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000_000 })),
  idp_metadata_url: Type.Optional(WebAddress),
  /** What the provider knows the service as. */
  sp_entity_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  /** The only ones that may sign, several while they change; those of the metadata, if left out. */
  idp_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  sp_certificate: Type.Optional(Pem),
  sp_private_key: Secret,
  allow_sha1: Type.Optional(Type.Boolean()),
  /** Of assertions that answer no request, which clients bring from a second Keystone. */
  allow_missing_audience: Type.Optional(Type.Boolean()),
  ...attributePrefix,
});

/** A front end that has seen who the user is, and says so in headers. */
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

/** Settings as they are shown: what isn't secret, and the names of the secrets that are set. */
export const ProtocolSettingsView = openObject({
  type: Type.Enum(["openid", "saml2", "forwarded"]),
  secrets_set: Type.Array(Type.String()),
});

const SECRET_NAMES = ["client_secret", "client_private_key", "sp_private_key"] as const;

/** The name of a secret among the settings. */
export type SecretName = (typeof SECRET_NAMES)[number];

/** Settings without their secrets. */
export type PublicSettings = DistributiveOmit<ProtocolSettingsDraft, SecretName | "secrets_set">;

type DistributiveOmit<Value, Names extends PropertyKey> = Value extends unknown ? Omit<Value, Names> : never;

/** Settings with their secrets, for whoever lets users in. */
export type OpenedSettings = DistributiveOmit<ProtocolSettingsDraft, "secrets_set">;

export interface SplitSettings {
  readonly settings: PublicSettings;
  /** New values by name; `null` takes one away. */
  readonly secrets: ReadonlyMap<SecretName, string | null>;
}

/**
 * Parts what is shown from what is not.
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
  if (draft.type === "saml2") {
    const sources = [draft.idp_metadata_xml, draft.idp_metadata_url].filter((source) => source !== undefined);
    if (sources.length !== 1)
      throw new ProtocolSettingsError(
        'settings: one of "idp_metadata_xml" and "idp_metadata_url" is needed, and not both',
      );
  }
  if (draft.type === "forwarded" && draft.header !== undefined && draft.header_prefix !== undefined)
    throw new ProtocolSettingsError('settings: "header" and "header_prefix" exclude each other');
}
