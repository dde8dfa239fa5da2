/** What the service says of itself in SAML, as an operator sets it. */
import { httpUrl, oneOf, text, textLike, wholeNumber, type Option } from "../platform/option-parsers.js";

const CONTACT_TYPES = ["technical", "support", "administrative", "billing", "other"] as const;

export interface SamlSettings {
  /** What others know the service as; made from the public URL where it is `undefined`. */
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
    help: "what others know the service as in SAML; made from the public URL if left out",
  },
  samlAssertionSeconds: {
    name: "IDENTITY_SAML_ASSERTION_LIFETIME",
    parser: wholeNumber({ from: 1, to: 86_400 }),
    help: "seconds that an assertion for a service provider is good for",
    standard: "3600",
  },
  samlOrganizationName: {
    name: "IDENTITY_SAML_ORGANIZATION_NAME",
    parser: text("a name"),
    help: "who runs the service, in its SAML metadata; needs the URL too",
  },
  samlOrganizationDisplayName: {
    name: "IDENTITY_SAML_ORGANIZATION_DISPLAY_NAME",
    parser: text("a name"),
    help: "the same for people; the name if left out",
  },
  samlOrganizationUrl: {
    name: "IDENTITY_SAML_ORGANIZATION_URL",
    parser: httpUrl,
    help: "where to read about whoever runs the service",
  },
  samlContactType: {
    name: "IDENTITY_SAML_CONTACT_TYPE",
    parser: oneOf(...CONTACT_TYPES),
    help: `what the contact is there for: ${CONTACT_TYPES.join(", ")}`,
    standard: "other",
  },
  samlContactCompany: {
    name: "IDENTITY_SAML_CONTACT_COMPANY",
    parser: text("a name"),
    help: "whom to ask about the service, in its SAML metadata: the company",
  },
  samlContactName: {
    name: "IDENTITY_SAML_CONTACT_NAME",
    parser: text("a name"),
    help: "the given name of whom to ask",
  },
  samlContactSurname: {
    name: "IDENTITY_SAML_CONTACT_SURNAME",
    parser: text("a name"),
    help: "the surname of whom to ask",
  },
  samlContactEmail: {
    name: "IDENTITY_SAML_CONTACT_EMAIL",
    parser: textLike(/^\S+@\S+$/, "an e-mail address"),
    help: "where to write to whom to ask",
  },
  samlContactTelephone: {
    name: "IDENTITY_SAML_CONTACT_TELEPHONE",
    parser: text("a telephone number"),
    help: "where to call whom to ask",
  },
};

/** What others know the service as. */
export function entityIdOf(
  { samlEntityId }: Pick<SamlSettings, "samlEntityId">,
  { publicUrl }: { readonly publicUrl: string },
): string {
  return samlEntityId ?? `${publicUrl}/v3/OS-FEDERATION/saml2/idp`;
}
