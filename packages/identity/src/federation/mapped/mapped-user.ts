/** Maps an assertion to a user: a shadow user by name and id at the provider, or an existing local user. Costly rejections are cached. */
import { createHash } from "node:crypto";

import { attributesFilling } from "../../mappings/rules/condition.js";
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../mappings/rules/evaluate-mapping.js";
import type { FinishedIdentity, MappedUser } from "../../mappings/rules/mapped-identity.js";
import type { RuleDomain } from "../../mappings/rules/rule-schema.js";
import type { Clock, Moment } from "../../platform/clock.js";
import { nameFault, normalizeName } from "../../platform/text/name-characters.js";
import { hasNul } from "../../platform/text/text-length.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { MissingPartError, UnnamedError } from "../../auth/auth-errors.js";
import { MergedUserError } from "../../users/federated/merged-users.js";
import { ForeignUserError, type ForeignUser } from "../../users/federated/shadow-users.js";
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
    const unmatched = reason === "no-rule-matched" ? unmatchedConditions(mapping, attributes) : [];
    const which = unmatched.length === 0 ? "" : ` (${unmatched.join("; ")})`;
    const facts = factsOf(`${place}: ${reason}${which}`);
    throw reason === "too-much-work" ? new TooMuchWorkError(facts) : new AssertionRefusedError(facts);
  }
  // Both: JSON in an attribute may hide it, and REMOTE_USER may name a user without the mapping.
  if (hasNul(attributes) || hasNul(outcome.identity))
    throw new AssertionRefusedError(factsOf("values: U+0000 is not allowed"));
  return outcome;
}

/** Rules of which a rejection names the condition. */
const MAX_UNMATCHED = 3;

const ignore = (): void => undefined;

/** The first condition of each rule that the assertion does not satisfy, without values of the assertion. */
function unmatchedConditions(mapping: Mapping, attributes: Assertion): readonly string[] {
  const found: string[] = [];
  let rule = 0;
  evaluateMapping(mapping, attributes, {
    rule: (index) => void (rule = index),
    condition(index, values, passed) {
      const { attribute, test } = mapping.rules[rule]?.conditions[index] ?? {};
      if (passed !== undefined || attribute === undefined || test === undefined) return;
      const fault = values === undefined ? "is missing" : (UNMATCHED[test] ?? `does not pass ${test}`);
      found.push(`rules[${rule}].remote[${index}]: ${quoted(attribute)} ${fault}`);
    },
    matched: ignore,
    filled: ignore,
    ignored: ignore,
  });
  const more = found.length > MAX_UNMATCHED ? [`${found.length - MAX_UNMATCHED} more`] : [];
  return [...found.slice(0, MAX_UNMATCHED), ...more];
}

const UNMATCHED: Readonly<Record<string, string>> = {
  any_one_of: "has no value of any_one_of",
  not_any_of: "has a value of not_any_of",
};

/**
 * Whom a login is probably of, before the rules decide: what a rule takes the user's name or id from, for administrators who look for the
 * login of a person. `undefined` where no attribute has it.
 */
export function likelyName({ source, rules }: Mapping, attributes: Assertion): string | undefined {
  for (const [index, { local }] of source.entries())
    for (const { user } of local)
      for (const template of [user?.name, user?.id]) {
        const [only, ...others] = attributesFilling(template ?? "", rules[index]?.conditions ?? []);
        const value = only === undefined ? "" : textOf(attributes[only]);
        if (value !== "" && others.length === 0) return value;
      }
  return textOf(attributes["REMOTE_USER"]) || undefined;
}

/** The maximum length of a user's name, e-mail address and id. */
const MAX_CHARACTERS = 255;

/** A user of a provider. */
export interface ProviderUser {
  readonly name: string;
  readonly email: string | undefined;
  /** Identifies the user at the provider. */
  readonly uniqueId: string;
  /** The id that release 0.2.0 made of it, which rounded large numbers; absent where it contains no such number. */
  readonly roundedId?: string;
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
  const uniqueId = uniqueIdOf(id || given);
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

/** @param rounded The attributes as release 0.2.0 read them, if it rounded a number. */
export function roundedIdOf(
  mapping: Mapping,
  protocol: { readonly mappingId: string },
  rounded: Assertion | undefined,
): Pick<ProviderUser, "roundedId"> {
  if (rounded === undefined) return {};
  try {
    const { identity } = mapAssertion(mapping, protocol, { attributes: rounded });
    return { roundedId: nameUser(identity.user, { attributes: rounded }).uniqueId };
  } catch (failure) {
    // It rejected the login.
    if (failure instanceof AssertionRefusedError && !(failure instanceof TooMuchWorkError)) return {};
    throw failure;
  }
}

/** Why a user can't be stored, for the log; `undefined` for other errors. */
export function userFault(error: Error): string | undefined {
  if (error instanceof ForeignUserError) return foreignFault(error.foreign);
  if (!(error instanceof MergedUserError)) return undefined;
  const { uniqueId, roundedId, userId } = error;
  return `the user's id ${quoted(uniqueId)} was rounded to ${quoted(roundedId)} by release 0.2.0, and user ${quoted(userId)} has that id: it may be the account of several users; set the id of its owner in "federated" of that user, also if it stays the same ("Users with large numbers as ids" in upgrading.md)`;
}

/** Which user has the id, and how the rules tell the two apart. */
function foreignFault({ wanted, domainId, idpIds }: ForeignUser): string {
  const id = `the user's id ${quoted(wanted.uniqueId)}`;
  if (domainId !== wanted.domainId)
    return `${id} belongs to a user of domain ${quoted(domainId)}, and the mapping names domain ${quoted(wanted.domainId)} for this login: put the domain before the id in the rules, as in "id": "{1}/{0}", if they are two users`;
  const owner =
    idpIds.length === 0
      ? "that no provider has"
      : `of identity provider ${idpIds.slice(0, MAX_OWNERS).map(quoted).join(", ")}`;
  return `${id} belongs to a user ${owner}, in the same domain ${quoted(domainId)}: give each provider a domain of its own, or put its name before the id in the rules, as in "id": "name-of-the-provider/{0}"`;
}

const MAX_OWNERS = 3;

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
export function uniqueIdOf(text: string): string {
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

const MAX_REFUSALS = 1000;
const REFUSAL_LIFE_MS = 60_000;

interface Refusal {
  readonly failure: Error;
  readonly until: Moment;
  readonly revision: number;
}

/** A cache of costly rejections: the same assertion gets the same error for a minute, without the work. */
export function createRefusedAssertions({
  clock,
  revision,
}: {
  readonly clock: Clock;
  /** Another number as soon as a mapping or a provider may have changed. */
  readonly revision: () => number;
}) {
  const refusals = new Map<string, Refusal>();
  return {
    /** Throws the cached error of the assertion, if there is one. */
    check(assertion: VerifiedAssertion): void {
      // Usually the cache is empty: then a login computes no digest.
      if (refusals.size === 0) return;
      const key = digestOf(assertion);
      const known = refusals.get(key);
      if (known === undefined) return;
      if (clock.now() < known.until && known.revision === revision()) throw known.failure;
      refusals.delete(key);
    },

    add(assertion: VerifiedAssertion, failure: Error): void {
      const key = digestOf(assertion);
      refusals.delete(key);
      refusals.set(key, { failure, until: clock.now() + REFUSAL_LIFE_MS, revision: revision() });
      const [oldest] = refusals.keys();
      if (refusals.size > MAX_REFUSALS && oldest !== undefined) refusals.delete(oldest);
    },
  };
}

function digestOf({ identityProviderId, protocolId, attributes }: VerifiedAssertion): string {
  const text = JSON.stringify([identityProviderId, protocolId, attributes]);
  return createHash("sha256").update(text).digest("base64");
}
