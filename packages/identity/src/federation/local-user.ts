/** Users of our own, whom a mapping may name. */
import type { MappedUser } from "../mappings/mapped-identity.js";
import { MissingPartError, UnnamedError } from "../tokens/token-errors.js";
import { AssertionRefusedError } from "./federation-errors.js";
import type { MappedReferencesDeps } from "./mapped-references.js";

export interface LocalUsers {
  findUser(
    reference: { readonly id: string } | { readonly name: string; readonly domainId: string },
  ): Promise<{ readonly id: string } | undefined>;
}

/**
 * The id of a user who is here already.
 *
 * @throws {AssertionRefusedError} There is none.
 * @throws {MissingPartError} {@link UnnamedError} The mapping does not say enough.
 */
export async function findLocalUser(
  { users, projects }: { readonly users: LocalUsers; readonly projects: MappedReferencesDeps["projects"] },
  { id, name, domain }: MappedUser,
): Promise<string> {
  const user = id ? await users.findUser({ id }) : await byName();
  if (user === undefined)
    throw new AssertionRefusedError({ step: "user", reason: "there is no such local user" });
  return user.id;

  async function byName() {
    if (!name) throw new UnnamedError("user");
    if (!domain) throw new MissingPartError("domain", "user");
    const found = await projects.findDomain(domain.id ? { id: domain.id } : { name: domain.name ?? "" });
    return found && users.findUser({ name, domainId: found.id });
  }
}
