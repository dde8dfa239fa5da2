/** The operator's settings of the service's SAML identity and metadata. */
import {
  httpUrl,
  oneOf,
  text,
  textLike,
  wholeNumber,
  type Options,
  type ValuesOf,
} from "../platform/option-parsers.js";

const CONTACT_TYPES = ["technical", "support", "administrative", "billing", "other"] as const;

export const SAML_OPTIONS = {
  entityId: {
    name: "IDENTITY_SAML_ENTITY_ID",
    parser: textLike(/^\S{1,1024}$/, "a URI of up to 1024 characters"),
    help: "the service's SAML entity ID; derived from the public URL if left out",
  },
  assertionSeconds: {
    name: "IDENTITY_SAML_ASSERTION_LIFETIME",
    parser: wholeNumber({ from: 1, to: 86_400 }),
    help: "seconds that an assertion for a service provider is valid",
    standard: "3600",
  },
  organizationName: {
    name: "IDENTITY_SAML_ORGANIZATION_NAME",
    parser: text("a name"),
    help: "the operator's organization, in the SAML metadata; requires the URL too",
  },
  organizationDisplayName: {
    name: "IDENTITY_SAML_ORGANIZATION_DISPLAY_NAME",
    parser: text("a name"),
    help: "the organization's display name; the name if left out",
  },
  organizationUrl: {
    name: "IDENTITY_SAML_ORGANIZATION_URL",
    parser: httpUrl,
    help: "the organization's web site",
  },
  contactType: {
    name: "IDENTITY_SAML_CONTACT_TYPE",
    parser: oneOf(...CONTACT_TYPES),
    help: `type of the contact person: ${CONTACT_TYPES.join(", ")}`,
    standard: "other",
  },
  contactCompany: {
    name: "IDENTITY_SAML_CONTACT_COMPANY",
    parser: text("a name"),
    help: "contact person in the SAML metadata: the company",
  },
  contactName: {
    name: "IDENTITY_SAML_CONTACT_NAME",
    parser: text("a name"),
    help: "contact person: given name",
  },
  contactSurname: {
    name: "IDENTITY_SAML_CONTACT_SURNAME",
    parser: text("a name"),
    help: "contact person: surname",
  },
  contactEmail: {
    name: "IDENTITY_SAML_CONTACT_EMAIL",
    parser: textLike(/^\S+@\S+$/, "an e-mail address"),
    help: "contact person: e-mail address",
  },
  contactTelephone: {
    name: "IDENTITY_SAML_CONTACT_TELEPHONE",
    parser: text("a telephone number"),
    help: "contact person: telephone number",
  },
} satisfies Options;

export type SamlSettings = ValuesOf<typeof SAML_OPTIONS>;

/** The service's entity ID. */
export function entityIdOf(
  { entityId }: Pick<SamlSettings, "entityId">,
  { publicUrl }: { readonly publicUrl: string },
): string {
  return entityId ?? `${publicUrl}/v3/OS-FEDERATION/saml2/idp`;
}
