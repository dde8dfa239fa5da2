/** Maps an assertion to a user: a shadow user by name and id at the provider, or an existing local user. */
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import { evaluateMapping } from "../../mappings/rules/evaluate-mapping.js";
import type { FinishedIdentity, MappedUser } from "../../mappings/rules/mapped-identity.js";
import type { RuleDomain } from "../../mappings/rules/rule-schema.js";
import { nameFault, normalizeName } from "../../platform/text/name-characters.js";
import { hasNul } from "../../platform/text/nul.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { MissingPartError, UnnamedError } from "../../auth/auth-errors.js";
import type { VerifiedAssertion } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { requireAuthorizedDomain, type RestrictedProvider } from "./mapped-references.js";

/** The mapping's step budget is exhausted. */
export class TooMuchWorkError extends AssertionRefusedError {}

/**
 * Evaluates the mapping.
 *
 * @throws {AssertionRefusedError} With the names of the attributes: their values may be personal data.
 */
export function mapAssertion(
  mapping: Mapping,
  { mappingId }: { readonly mappingId: string },
  { attributes }: Pick<VerifiedAssertion, "attributes">,
): FinishedIdentity {
  const outcome = evaluateMapping(mapping, attributes);
  const factsOf = (reason: string) => ({
    step: "mapping",
    reason: `mapping ${quoted(mappingId)}, ${reason}`,
    attributes: Object.keys(attributes),
  });
  if (outcome.kind === "failed") {
    const { reason, place = "rules" } = outcome.failure;
    const facts = factsOf(`${place}: ${reason}`);
    throw reason === "too-much-work" ? new TooMuchWorkError(facts) : new AssertionRefusedError(facts);
  }
  // Both: JSON in an attribute may hide it, and REMOTE_USER may name a user without the mapping.
  if (hasNul(attributes) || hasNul(outcome.identity))
    throw new AssertionRefusedError(factsOf("values: U+0000 is not allowed"));
  return outcome;
}

/** The maximum length of a user's name, e-mail address and id. */
const MAX_CHARACTERS = 255;

/** A user of a provider. */
export interface ProviderUser {
  readonly name: string;
  readonly email: string | undefined;
  /** Identifies the user at the provider. */
  readonly uniqueId: string;
}

/**
 * A user's name, and id at the provider; either may be left out. The id keeps what was received, character for character: to the
 * provider two canonically equivalent names may be two users.
 *
 * @throws {AssertionRefusedError} Both are left out, or one is too long, or the name contains characters that are not allowed.
 */
export function nameUser(
  { id, name, email }: MappedUser,
  { attributes }: Pick<VerifiedAssertion, "attributes">,
): ProviderUser {
  const given = name || textOf(attributes["REMOTE_USER"]);
  const uniqueId = quote(id || given);
  const sent = given || (id ?? "");
  const shown = normalizeName(sent);
  if (uniqueId === "") throw refused("neither the mapping nor REMOTE_USER names a user");
  requireUsable("name", sent);
  if (email) requireUsable("e-mail address", email);
  if (shown === "") throw refused("the user's name is nothing but white space");
  if (uniqueId.length > MAX_CHARACTERS)
    throw refused(
      `the user's name or id has ${uniqueId.length} characters, expected at most ${MAX_CHARACTERS}`,
    );
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

/** Percent-encoding as Python's `urllib.parse.quote`, from which Keystone makes ids. Invalid Unicode becomes U+FFFD. */
function quote(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replaceAll("%2F", "/")
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

export interface LocalUserDeps {
  readonly users: {
    findUser(
      reference: { readonly id: string } | { readonly name: string; readonly domainId: string },
    ): Promise<{ readonly id: string; readonly domainId: string } | undefined>;
  };
  readonly projects: {
    findDomain(
      reference: { readonly id: string } | { readonly name: string },
    ): Promise<{ readonly id: string } | undefined>;
  };
}

/**
 * The id of an existing local user (`"type": "local"`).
 *
 * @throws {AssertionRefusedError} The user does not exist, or belongs to another domain than the mapping names.
 * @throws {AssertionForbiddenError} The user's domain is not among the provider's `authorized_domains`.
 * @throws {MissingPartError} {@link UnnamedError} The mapping names no user, or no domain.
 */
export async function findLocalUser(
  { users, projects }: LocalUserDeps,
  { id, name, domain }: MappedUser,
  provider: RestrictedProvider,
): Promise<string> {
  const user = id ? await users.findUser({ id }) : await byName();
  if (user === undefined) throw refused("the local user that the mapping names does not exist");
  if (domain?.id !== undefined || domain?.name !== undefined) {
    const named = await findDomain(domain);
    const expected = named === undefined ? "one that does not exist" : `domain ${quoted(named.id)}`;
    if (user.domainId !== named?.id)
      throw refused(
        `the local user belongs to domain ${quoted(user.domainId)}, and the mapping names ${expected}`,
      );
  }
  requireAuthorizedDomain(provider, user.domainId, "the local user");
  return user.id;

  function findDomain(reference: RuleDomain) {
    return projects.findDomain(reference.id ? { id: reference.id } : { name: reference.name ?? "" });
  }

  async function byName() {
    if (!name) throw new UnnamedError("user");
    if (!domain) throw new MissingPartError("domain", "user");
    const found = await findDomain(domain);
    return found && users.findUser({ name, domainId: found.id });
  }
}
