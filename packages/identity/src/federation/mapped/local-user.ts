/** Users of our own, whom a mapping may name. */
import type { MappedUser } from "../../mappings/rules/mapped-identity.js";
import type { DomainReference } from "../../mappings/rules/rule-schema.js";
import { MissingPartError, UnnamedError } from "../../tokens/token-errors.js";
import { requireAuthorizedDomain, type HeldProvider } from "./authorized-domains.js";
import { AssertionRefusedError } from "../federation-errors.js";

export interface LocalUsers {
  findUser(
    reference: { readonly id: string } | { readonly name: string; readonly domainId: string },
  ): Promise<{ readonly id: string; readonly domainId: string } | undefined>;
}

export interface LocalUserDeps {
  readonly users: LocalUsers;
  readonly projects: {
    findDomain(
      reference: { readonly id: string } | { readonly name: string },
    ): Promise<{ readonly id: string } | undefined>;
  };
}

/**
 * The id of a user who is here already.
 *
 * @throws {AssertionRefusedError} There is none, or the user belongs to another domain than the mapping names.
 * @throws {AssertionForbiddenError} The provider is held to other domains.
 * @throws {MissingPartError} {@link UnnamedError} The mapping does not say enough.
 */
export async function findLocalUser(
  { users, projects }: LocalUserDeps,
  { id, name, domain }: MappedUser,
  provider: HeldProvider,
): Promise<string> {
  const user = id ? await users.findUser({ id }) : await byName();
  if (user === undefined)
    throw new AssertionRefusedError({ step: "user", reason: "there is no such local user" });
  if (domain?.id !== undefined || domain?.name !== undefined) {
    const named = await findDomain(domain);
    if (user.domainId !== named?.id)
      throw new AssertionRefusedError({
        step: "user",
        reason: `the local user belongs to domain "${user.domainId}", and the mapping names ${
          named === undefined ? "one that does not exist" : `domain "${named.id}"`
        }`,
      });
  }
  requireAuthorizedDomain(provider, user.domainId, "the local user");
  return user.id;

  function findDomain(reference: DomainReference) {
    return projects.findDomain(reference.id ? { id: reference.id } : { name: reference.name ?? "" });
  }

  async function byName() {
    if (!name) throw new UnnamedError("user");
    if (!domain) throw new MissingPartError("domain", "user");
    const found = await findDomain(domain);
    return found && users.findUser({ name, domainId: found.id });
  }
}
