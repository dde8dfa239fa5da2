/** Claims that an author of rules pastes: a JWT, or JSON as an ID token has it. */
import { parsePasted, PastedAssertionError, pastedContent, type PastedAssertion } from "../pasted-text.js";
import { claimAttributes, type Claims } from "./claim-attributes.js";
import { subjectFault } from "./claims.js";
import type { AnyOpenIdSettings } from "./openid-settings.js";

/** @returns `undefined` for text of another form. */
export function readPastedClaims(
  text: string,
  settings: AnyOpenIdSettings | undefined,
): PastedAssertion | undefined {
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) {
    const payload = Buffer.from(text.split(".")[1] ?? "", "base64url").toString();
    return { format: "jwt", ...named(parsePasted(payload, "the payload of the JWT"), settings) };
  }
  if (!text.startsWith("{")) return undefined;
  const content = pastedContent(parsePasted(text, "JSON"));
  // Attributes of an assertion have the names and texts that rules see.
  const isClaims = typeof content["iss"] === "string" || typeof content["sub"] === "string";
  return isClaims ? { format: "claims", ...named(content, settings) } : undefined;
}

/** @throws {PastedAssertionError} A login rejects the claims: their `sub` is no text. */
function named(claims: Claims, settings: AnyOpenIdSettings | undefined) {
  const fault = subjectFault(claims);
  if (fault !== undefined) throw new PastedAssertionError(`A login rejects the claims: ${fault}.`);
  const { attributes, leftOut, ambiguous, ambiguousAttributes } = claimAttributes(claims, settings);
  return { attributes, leftOut: [...leftOut, ...ambiguous, ...ambiguousAttributes] };
}
