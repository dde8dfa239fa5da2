/** What the console shows of SAML 2.0. */
import { PERSISTENT_FORMAT } from "../../../saml/saml-names.js";
import { COMMON_FIELDS, moreField, type ProtocolForm } from "../settings-form.js";
import { SAML2_KINDS } from "./saml2-kinds.js";

const WEAKER = "Accepted although it is weaker";

export const SAML2_FORM: ProtocolForm = {
  fields: [
    {
      name: "idp_metadata_url",
      label: "Metadata address",
      kind: "address",
      help: "Read again on its own. Or give the metadata itself:",
    },
    {
      name: "idp_metadata_xml",
      label: "Metadata",
      kind: "document",
      help: "XML with an EntityDescriptor.",
      placeholder: "<EntityDescriptor …",
      files: ".xml,text/xml",
    },
    {
      name: "name_id_format",
      label: "Format of NameIDs",
      kind: "text",
      help: "Requested and required; any if empty. Persistent names are best where the provider has them: transient ones are new users at each login.",
      placeholder: PERSISTENT_FORMAT,
    },
    {
      name: "allow_sha1",
      label: "Signatures with SHA-1: Keystone makes no others",
      kind: "switch",
      group: WEAKER,
    },
    {
      name: "allow_missing_audience",
      label: "Assertions without an audience, sent by clients: those of Keystone have none",
      kind: "switch",
      group: WEAKER,
    },
    moreField("switch", "logout", "Single logout ends tokens, and the other way round"),
    moreField("switch", "force_authn", "The provider authenticates anew at each login (ForceAuthn)"),
    moreField("words", "authn_contexts", "Classes of authentication (RequestedAuthnContext)", {
      help: "Any if empty.",
    }),
    moreField("choice", "authn_context_comparison", "How they are compared", {
      options: ["exact", "minimum", "maximum", "better"],
    }),
    moreField("certificates", "idp_certificates", "Signing certificates", {
      help: "In PEM: the only trusted ones, instead of those of the metadata.",
    }),
    moreField("certificates", "idp_metadata_certificates", "Signers of the metadata", {
      help: "In PEM: unsigned metadata is accepted if empty.",
    }),
    moreField("address", "idp_mdq_url", "Metadata query service (MDQ)", {
      help: "Asked for each of the provider's remote IDs, instead of an address of metadata.",
    }),
    moreField(
      "switch",
      "discovery_logos",
      "Logos of other hosts, where users choose one of several entities",
    ),
    moreField("text", "sp_entity_id", "Entity ID of this service", {
      help: "At this provider; the service's own if empty.",
    }),
    moreField("document", "sp_certificate", "Certificate of this protocol", {
      help: "In PEM; the service's own if empty.",
    }),
    moreField("key", "sp_private_key", "Its private key", { help: "In PEM." }),
    ...COMMON_FIELDS,
  ],
  choices: [
    {
      fields: ["idp_metadata_url", "idp_metadata_xml", "idp_mdq_url"],
      none: "Give the address of the provider's metadata, or the metadata itself.",
      several: "Expected the address, the metadata itself, or a query service: leave one of them.",
    },
  ],
  register: { entity_id: "Entity ID", acs_url: "ACS URL", metadata_url: "Metadata address" },
  kinds: SAML2_KINDS,
};
