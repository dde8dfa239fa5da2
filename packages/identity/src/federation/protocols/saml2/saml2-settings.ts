/** The settings of SAML protocols. */
import { Type, type Static } from "typebox";

import { ProtocolSettingsError } from "../../../identity-providers/identity-provider-errors.js";
import {
  settingsSchema,
  type PublicSettings,
} from "../../../identity-providers/protocols/protocol-settings.js";
import { checkKeys, attributePrefix, Classes, logout, Pem, Secret, WebAddress } from "../settings-parts.js";

/** SAML 2.0, with this service as the service provider. */
export const Saml2Schema = settingsSchema("saml2", {
  idp_metadata_xml: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000_000 })),
  idp_metadata_url: Type.Optional(WebAddress),
  /** The base address of a metadata query service (MDQ), which is asked for each of the provider's remote_ids. */
  idp_mdq_url: Type.Optional(WebAddress),
  /** Whether the page on which users choose one of several entities loads logos from the addresses that their metadata names. */
  discovery_logos: Type.Optional(Type.Boolean()),
  /** The entity ID of this service at the provider. */
  sp_entity_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  /** The trusted signing certificates, several during a rollover; those of the metadata, if left out. */
  idp_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  /** The trusted signers of the metadata, several during a rollover; unsigned metadata is accepted, if left out. */
  idp_metadata_certificates: Type.Optional(Type.Array(Pem, { minItems: 1, maxItems: 16 })),
  /** The format of NameIDs, as a URI: requested, and required of assertions. Any if left out. */
  name_id_format: Type.Optional(Type.String({ pattern: "^[!-~]+$", maxLength: 255 })),
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

export const SAML2_SECRETS = ["sp_private_key"] as const;

/** With secrets. */
export type Saml2Settings = Omit<Static<typeof Saml2Schema>, "secrets_set">;
export type PublicSaml2Settings = Omit<Saml2Settings, (typeof SAML2_SECRETS)[number]>;

export function isSaml2(settings: PublicSettings | null | undefined): settings is Saml2Settings {
  return settings?.type === "saml2";
}

/** @throws {ProtocolSettingsError} */
export function checkSaml2Settings(draft: Saml2Settings): void {
  checkKeys(draft);
  const sources = [draft.idp_metadata_xml, draft.idp_metadata_url, draft.idp_mdq_url];
  if (sources.filter((source) => source !== undefined).length !== 1)
    throw new ProtocolSettingsError(
      'settings: one of "idp_metadata_xml", "idp_metadata_url" and "idp_mdq_url" is needed, and no other',
    );
  if (draft.authn_context_comparison !== undefined && draft.authn_contexts === undefined)
    throw new ProtocolSettingsError('settings: "authn_context_comparison" needs "authn_contexts"');
}
