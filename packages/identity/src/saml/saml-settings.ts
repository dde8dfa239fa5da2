/** The operator's settings of the service's SAML identity and metadata. */
import { httpUrl, oneOf, text, textLike, wholeNumber, type Option } from "../platform/option-parsers.js";

const CONTACT_TYPES = ["technical", "support", "administrative", "billing", "other"] as const;

export interface SamlSettings {
  /** The service's entity ID; derived from the public URL if `undefined`. */
  readonly samlEntityId: string | undefined;
  readonly samlAssertionSeconds: number;
  readonly samlOrganizationName: string | undefined;
  readonly samlOrganizationDisplayName: string | undefined;
  readonly samlOrganizationUrl: string | undefined;
  readonly samlContactType: (typeof CONTACT_TYPES)[number];
  readonly samlContactCompany: string | undefined;
  readonly samlContactName: string | undefined;
  readonly samlContactSurname: string | undefined;
  readonly samlContactEmail: string | undefined;
  readonly samlContactTelephone: string | undefined;
}

export const SAML_OPTIONS: {
  readonly [Key in keyof SamlSettings]: Option<NonNullable<SamlSettings[Key]>>;
} = {
  samlEntityId: {
    name: "IDENTITY_SAML_ENTITY_ID",
    parser: textLike(/^\S{1,1024}$/, "a URI of up to 1024 characters"),
    help: "the service's SAML entity ID; derived from the public URL if left out",
  },
  samlAssertionSeconds: {
    name: "IDENTITY_SAML_ASSERTION_LIFETIME",
    parser: wholeNumber({ from: 1, to: 86_400 }),
    help: "seconds that an assertion for a service provider is valid",
    standard: "3600",
  },
  samlOrganizationName: {
    name: "IDENTITY_SAML_ORGANIZATION_NAME",
    parser: text("a name"),
    help: "the operator's organization, in the SAML metadata; requires the URL too",
  },
  samlOrganizationDisplayName: {
    name: "IDENTITY_SAML_ORGANIZATION_DISPLAY_NAME",
    parser: text("a name"),
    help: "the organization's display name; the name if left out",
  },
  samlOrganizationUrl: {
    name: "IDENTITY_SAML_ORGANIZATION_URL",
    parser: httpUrl,
    help: "the organization's web site",
  },
  samlContactType: {
    name: "IDENTITY_SAML_CONTACT_TYPE",
    parser: oneOf(...CONTACT_TYPES),
    help: `type of the contact person: ${CONTACT_TYPES.join(", ")}`,
    standard: "other",
  },
  samlContactCompany: {
    name: "IDENTITY_SAML_CONTACT_COMPANY",
    parser: text("a name"),
    help: "contact person in the SAML metadata: the company",
  },
  samlContactName: {
    name: "IDENTITY_SAML_CONTACT_NAME",
    parser: text("a name"),
    help: "contact person: given name",
  },
  samlContactSurname: {
    name: "IDENTITY_SAML_CONTACT_SURNAME",
    parser: text("a name"),
    help: "contact person: surname",
  },
  samlContactEmail: {
    name: "IDENTITY_SAML_CONTACT_EMAIL",
    parser: textLike(/^\S+@\S+$/, "an e-mail address"),
    help: "contact person: e-mail address",
  },
  samlContactTelephone: {
    name: "IDENTITY_SAML_CONTACT_TELEPHONE",
    parser: text("a telephone number"),
    help: "contact person: telephone number",
  },
};

/** The service's entity ID. */
export function entityIdOf(
  { samlEntityId }: Pick<SamlSettings, "samlEntityId">,
  { publicUrl }: { readonly publicUrl: string },
): string {
  return samlEntityId ?? `${publicUrl}/v3/OS-FEDERATION/saml2/idp`;
}
