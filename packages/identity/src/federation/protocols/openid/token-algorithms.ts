/** The algorithms of signatures of providers' tokens that are accepted. */

/** Asymmetric algorithms only: the client can't make such signatures. */
export const SIGNATURE_ALGORITHMS: readonly string[] =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
