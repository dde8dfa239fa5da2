/** What a user is called who comes from a provider. */
import type { MappedUser } from "../mappings/mapped-identity.js";
import { AssertionRefusedError } from "./federation-errors.js";
import type { VerifiedAssertion } from "./verified-assertion.js";

/** The longest name and id that a user may have. */
const MOST_CHARACTERS = 255;

/** Nobody sees them, so that one name would look like another. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001F\u007F-\u009F]/;

/** What is shown of a user, and what the user is known by. */
export interface NamedUser {
  readonly name: string;
  readonly email: string | undefined;
  readonly uniqueId: string;
}

/**
 * A user's name, and id at the provider; either may be left out.
 *
 * @throws {AssertionRefusedError} Both are left out, or one is too long to be kept, or the name can't be read.
 */
export function nameUser({ id, name, email }: MappedUser, { attributes }: VerifiedAssertion): NamedUser {
  const given = name || textOf(attributes["REMOTE_USER"]);
  const uniqueId = quote(id || given);
  const shown = given || (id ?? "");
  if (uniqueId === "")
    throw new AssertionRefusedError({
      step: "user",
      reason: "neither the mapping nor REMOTE_USER names a user",
    });
  if (CONTROL.test(shown))
    throw new AssertionRefusedError({ step: "user", reason: "the user's name has a control character" });
  if (shown.length > MOST_CHARACTERS || uniqueId.length > MOST_CHARACTERS)
    throw new AssertionRefusedError({
      step: "user",
      reason: `the user's name or id has more than ${MOST_CHARACTERS} characters`,
    });
  return { name: shown, email: email || undefined, uniqueId };
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
