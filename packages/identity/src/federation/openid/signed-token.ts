/** Tokens that a provider has signed. */
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";

/**
 * Keys that are tried for a token that names none. Each costs an import and a verification, and a JWKS of 1 MB has 2,200 RSA keys:
 * seconds of a core for each token.
 */
export const MAX_TRIED_KEYS = 20;

const TOO_MANY_KEYS = `signature does not verify with the first ${MAX_TRIED_KEYS} keys of the JWKS; a token without "kid" is tried with no more`;

/**
 * The claims of a token.
 *
 * A token may leave out which key has signed it, as access tokens of AD FS do: while a provider changes its key, each of the
 * keys that it has published is tried, up to {@link MAX_TRIED_KEYS}.
 *
 * @throws The provider has not signed it, or its claims are not as the options want them.
 */
export async function verifySigned(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return verifyByOneOf(error, token, options);
  }
}

async function verifyByOneOf(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of keys) {
    if (tried++ === MAX_TRIED_KEYS) throw new errors.JWSSignatureVerificationFailed(TOO_MANY_KEYS);
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}
