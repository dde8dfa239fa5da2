/** A signed request as services describe it at `/v3/ec2tokens`. */
import { InvalidError } from "../../platform/errors.js";
import { errorClass } from "../../platform/errors.js";

export interface SignedRequest {
  readonly access: string;
  readonly signature: string;
  readonly verb: string;
  readonly host: string;
  readonly path: string;
  /** Of the query, or of the form in the body. */
  readonly parameters: ReadonlyMap<string, string>;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** SHA-256 of the body in hexadecimal digits; empty if it was not sent. */
  readonly bodyHash: string;
}

/** A part of the description is missing or malformed. */
export class SignedRequestError extends errorClass(
  InvalidError,
  "credentials/signed-request",
  (part: string, expected: string) => `Invalid input for field/attribute ${part}: expected ${expected}`,
) {}

/** @throws {SignedRequestError} */
export function readSignedRequest(
  { access, signature }: Pick<SignedRequest, "access" | "signature">,
  description: Readonly<Record<string, unknown>>,
): SignedRequest {
  const headers = textsIn(description, "headers");
  return {
    access,
    signature,
    verb: textOf(description, "verb"),
    host: textOf(description, "host"),
    path: textOf(description, "path"),
    parameters: textsIn(description, "params"),
    headers: new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value])),
    bodyHash: "body_hash" in description ? textOf(description, "body_hash") : "",
  };
}

function textOf(description: Readonly<Record<string, unknown>>, part: string): string {
  const value = description[part];
  if (typeof value !== "string") throw new SignedRequestError(part, "a string");
  return value;
}

/** Names and values; only headers may be left out. */
function textsIn(description: Readonly<Record<string, unknown>>, part: "headers" | "params") {
  const given = description[part] ?? (part === "headers" ? {} : undefined);
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  const entries = isObject ? Object.entries(given as object) : undefined;
  if (entries === undefined || entries.some(([, value]) => typeof value !== "string"))
    throw new SignedRequestError(part, "an object whose values are strings");
  return new Map(entries as [string, string][]);
}
