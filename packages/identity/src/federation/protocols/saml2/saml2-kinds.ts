/** Providers of SAML by name: what to enter there, and what their assertions have. Each has a guide. */
import { anyProvider, providerKind, type ProviderKind } from "../settings-form.js";

export const SAML2_KINDS: readonly ProviderKind[] = [
  providerKind({
    id: "adfs",
    title: "AD FS",
    about: "SAML 2.0, with groups",
    example: "https://adfs.example.org/FederationMetadata/2007-06/FederationMetadata.xml",
    register:
      "AD FS Management, Relying Party Trusts, Add Relying Party Trust: import the metadata, or enter:",
    attributes: { user_name: "NAME_ID", groups: "http://schemas.xmlsoap.org/claims/Group" },
  }),
  providerKind({
    id: "shibboleth",
    title: "Shibboleth",
    about: "SAML 2.0, at universities",
    example: "https://idp.example.org/idp/shibboleth",
    register: "A MetadataProvider in metadata-providers.xml, for the metadata at this address:",
    attributes: {
      user_id: "urn:oasis:names:tc:SAML:attribute:subject-id",
      // eduPersonPrincipalName, by its name: friendly names differ.
      user_name: "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",
      email: "urn:oid:0.9.2342.19200300.100.1.3",
      groups: "urn:oid:1.3.6.1.4.1.5923.1.1.1.9",
    },
  }),
  providerKind({
    id: "simplesamlphp",
    title: "SimpleSAMLphp",
    about: "SAML 2.0, with attributes by their names in LDAP",
    example: "https://idp.example.org/simplesaml/saml2/idp/metadata.php",
    register: "An entry in metadata/saml20-sp-remote.php, made by the metadata converter from:",
    attributes: { user_id: "uid", user_name: "uid", email: "mail", groups: "eduPersonAffiliation" },
  }),
  providerKind({
    id: "keystone",
    title: "Another Keystone",
    about: "Keystone to Keystone: users of another cloud",
    example: "https://keystone.example.org/v3/OS-FEDERATION/saml2/metadata",
    register: "Create a service provider there, with these values as sp_url and auth_url:",
    attributes: { user_name: "openstack_user" },
    requires: [
      {
        attribute: "openstack_user_domain",
        reason: "Names are unique in a domain alone: users of several domains there would be one here.",
      },
    ],
    settings: { allow_sha1: true, allow_missing_audience: true },
  }),
  anyProvider({
    id: "saml2",
    title: "Any SAML 2.0",
    about: "By its metadata",
    example: "https://idp.example.org/saml/metadata",
    guide: "docs/identity/saml.md",
    register: "Create a service provider from the metadata, or with these values:",
    attributes: { user_name: "NAME_ID" },
  }),
];
