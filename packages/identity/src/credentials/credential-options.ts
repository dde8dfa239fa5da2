/** The settings of credentials, application credentials and client certificates. */
import { onOrOff, text, wholeNumber, type Options } from "../platform/option-parsers.js";

export const CREDENTIAL_OPTIONS = {
  maxApplicationCredentials: {
    name: "IDENTITY_APPLICATION_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "application credentials that a user may have; by default any number",
  },
  maxCredentials: {
    name: "IDENTITY_CREDENTIAL_LIMIT",
    parser: wholeNumber({ from: 0, to: 1_000_000 }),
    help: "maximum of credentials, such as EC2 keys, of one user; by default no limit",
  },
  allowsCrossDomain: {
    name: "IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS",
    parser: onOrOff,
    help: "allow administrators of a domain or project to read and change credentials and EC2 keys of all users, as Keystone does: on or off",
    standard: "off",
  },
  signatureLifetimeSeconds: {
    name: "IDENTITY_SIGNATURE_LIFETIME",
    parser: wholeNumber({ from: 1, to: 604_800 }),
    help: "seconds for which signatures of EC2 and S3 requests are accepted, also of presigned S3 addresses of version 4",
    standard: "900",
  },
  certificateMapping: {
    name: "IDENTITY_CERTIFICATE_MAPPING",
    parser: text("the id of a mapping"),
    help: "mapping that names the user of a client certificate, for OAuth 2.0",
    standard: "oauth2_mapping",
  },
} satisfies Options;
