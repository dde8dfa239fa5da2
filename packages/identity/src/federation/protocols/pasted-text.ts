/**
 * Text that an author of rules pastes: each protocol reads its own assertions, with the attribute names that a login gives. Nothing is
 * verified: it is for dry runs alone.
 */
import type { OpenedSettings } from "../../identity-providers/protocols/protocol-settings.js";
import type { Assertion } from "../../mappings/rules/evaluate-mapping.js";
import { isRecord } from "../../mappings/rules/rule-schema.js";
import { errorClass, InvalidError } from "../../platform/errors.js";
import { isNestedTooDeep, MAX_JSON_DEPTH, parseExactJson } from "../../platform/text/exact-json.js";

/** The text is no assertion in any of the forms. */
export class PastedAssertionError extends errorClass(InvalidError, "mapping/assertion") {}

export interface PastedAssertion {
  /** The form of the text, such as `jwt`. */
  readonly format: string;
  readonly attributes: Assertion;
  /** Attributes and claims that lack a value, because it has a semicolon, or because two claims have the name. */
  readonly leftOut: readonly string[];
}

/** What a stored protocol says of names. */
export interface PasteNaming<Settings extends OpenedSettings = OpenedSettings> {
  /** `undefined` if they are of another type, or there is no protocol. */
  readonly settings: Settings | undefined;
  readonly remoteIdAttribute: string | null;
}

export const EXPECTED_TEXT =
  "expected a JSON object of attributes, lines such as MAIL: kim@example.org, a JWT, or a SAML response";

/** @throws {PastedAssertionError} The text is no JSON object. */
export function parsePasted(text: string, what: string): Readonly<Record<string, unknown>> {
  if (isNestedTooDeep(text))
    throw new PastedAssertionError(`${what} is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  try {
    const value = parseExactJson(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new PastedAssertionError(`${what} is invalid: ${(cause as Error).message}.`, { cause });
  }
  throw new PastedAssertionError(`The text is no assertion: ${EXPECTED_TEXT}.`);
}

/** The attributes of JSON: in `assertion`, as in the body of a dry run, or the whole. */
export function pastedContent(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(json["assertion"]) ? json["assertion"] : json;
}
