/** How many bytes a body may have where it may have more than `IDENTITY_BODY_LIMIT`, which is for all others. */

/** Assertions with many attributes, in base64. */
const ASSERTION_BYTES = 1 << 20;

export const BODY_LIMITS = {
  assertion: ASSERTION_BYTES,
  /** An assertion in JSON. */
  testLogin: ASSERTION_BYTES + 4096,
  /** Rules with an assertion. */
  dryRun: ASSERTION_BYTES,
  /** A SAML message in base64. */
  logoutMessage: 1 << 19,
  logoutToken: 1 << 16,
  /** 10,000 remote ids, as many as the entities that are read of a federation's metadata. */
  identityProvider: 4 << 20,
  /** SAML metadata among the settings. */
  protocol: 2 << 20,
  /** A group of 10,000 members. */
  scim: 2 << 20,
  /** A document of the federation, and its secrets. */
  federationDocument: 16 << 20,
  /** About 50,000 limits. */
  limitTransfer: 16 << 20,
} as const;
