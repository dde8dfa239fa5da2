/** What a user is called who comes from a provider. */
import type { MappedUser } from "../../mappings/rules/mapped-identity.js";
import { nameFault, normalizeName } from "../../platform/text/name-characters.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { VerifiedAssertion } from "../verified-assertion.js";

/** The longest name, e-mail address and id that a user may have. */
const MAX_CHARACTERS = 255;

/** What is shown of a user, and what the user is known by. */
export interface NamedUser {
  readonly name: string;
  readonly email: string | undefined;
  readonly uniqueId: string;
}

/**
 * A user's name, and id at the provider; either may be left out. The id is made of what was sent, letter for letter: to the
 * provider two names that are canonically equivalent may be two users.
 *
 * @throws {AssertionRefusedError} Both are left out, or one is too long to be kept, or the name can't be read.
 */
export function nameUser({ id, name, email }: MappedUser, { attributes }: VerifiedAssertion): NamedUser {
  const given = name || textOf(attributes["REMOTE_USER"]);
  const uniqueId = quote(id || given);
  const sent = given || (id ?? "");
  const shown = normalizeName(sent);
  if (uniqueId === "") throw refused("neither the mapping nor REMOTE_USER names a user");
  requireUsable("name", sent);
  if (email) requireUsable("e-mail address", email);
  if (shown === "") throw refused("the user's name is nothing but white space");
  if (uniqueId.length > MAX_CHARACTERS)
    throw refused(`the user's name or id has more than ${MAX_CHARACTERS} characters`);
  return { name: shown, email: email || undefined, uniqueId };
}

function requireUsable(what: string, text: string): void {
  const fault = text.length > MAX_CHARACTERS ? `has more than ${MAX_CHARACTERS} characters` : nameFault(text);
  if (fault !== undefined) throw refused(`the user's ${what} ${fault}`);
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "user", reason });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What is no Unicode becomes U+FFFD. As Python's `urllib.parse.quote` does it, which Keystone makes ids of. */
function quote(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replaceAll("%2F", "/")
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
