/** What a mapping names, found: domains, groups and roles by their ids. */
import { readGroupReference, type MappedGroup } from "../mappings/group-list.js";
import type { MappedIdentity } from "../mappings/mapped-identity.js";
import type { DomainReference, ProjectGrant } from "../mappings/rule-schema.js";
import { DomainNotFoundError } from "../projects/project-errors.js";
import type { Role } from "../roles/role-store.js";
import { AssignedRoleError, AssertionRefusedError, UnknownMappedRoleError } from "./federation-errors.js";

/** What is asked of the other features. */
export interface MappedReferencesDeps {
  readonly projects: {
    findDomain(
      reference: { readonly id: string } | { readonly name: string },
    ): Promise<{ readonly id: string } | undefined>;
  };
  readonly groups: {
    findGroup(
      reference: { readonly id: string } | { readonly name: string; readonly domainId: string },
    ): Promise<{ readonly id: string } | undefined>;
  };
  readonly roles: { findRolesByName(name: string): Promise<readonly Role[]> };
}

/** The provider that has sent somebody. */
interface Provider {
  readonly id: string;
  readonly domainId: string;
}

export interface FoundReferences {
  readonly domainId: string;
  readonly groupIds: readonly string[];
  readonly projects: readonly MappedProject[];
  /** Whether everything was found that the mapping names: what was not may come later, without any notice. */
  readonly isComplete: boolean;
}

/** A project that the mapping has there be, and the roles that the user gets in it. */
export interface MappedProject {
  readonly name: string;
  readonly domainId: string;
  readonly roleIds: readonly string[];
}

/**
 * @throws {AssertionRefusedError} There is no group of an id.
 * @throws {DomainNotFoundError} {@link UnknownMappedRoleError} {@link AssignedRoleError}
 */
export async function findReferences(
  deps: MappedReferencesDeps,
  { user, group_ids, group_names, projects }: MappedIdentity,
  provider: Provider,
): Promise<FoundReferences> {
  const domainId = await findDomainId(deps, user.domain, provider);
  const byId = await groupsById(deps, group_ids);
  const named = await groupsByName(deps, group_names);
  const found = named.flatMap((id) => id ?? []);
  return {
    domainId,
    groupIds: [...new Set([...byId, ...found])],
    projects: await findProjects(deps, projects, { provider, userDomainId: domainId }),
    isComplete: found.length === named.length,
  };
}

/** The provider's own, where a mapping names none. */
async function findDomainId(
  deps: MappedReferencesDeps,
  reference: DomainReference | null | undefined,
  { domainId }: Provider,
): Promise<string> {
  const { id = "", name = "" } = reference ?? {};
  if (id === "" && name === "") return domainId;
  const domain = await deps.projects.findDomain(id === "" ? { name } : { id });
  if (domain === undefined) throw new DomainNotFoundError(id || name);
  return domain.id;
}

async function groupsById({ groups }: MappedReferencesDeps, ids: MappedIdentity["group_ids"]) {
  const found: string[] = [];
  for (const id of ids) {
    const group = typeof id === "string" ? await groups.findGroup({ id }) : undefined;
    if (group === undefined)
      throw new AssertionRefusedError({
        step: "groups",
        reason: "there is no group of an id that the mapping gives",
      });
    found.push(group.id);
  }
  return found;
}

/** `undefined` for each that is not there. */
async function groupsByName(
  deps: MappedReferencesDeps,
  members: readonly MappedGroup[],
): Promise<(string | undefined)[]> {
  const found = new Map<string, string | undefined>();
  for (const member of members) {
    const reference = readGroupReference(member);
    if (reference === undefined) {
      found.set(JSON.stringify(member), undefined);
      continue;
    }
    const { name, domain } = reference;
    const key = JSON.stringify([name, domain]);
    if (found.has(key)) continue;
    const domainId = "id" in domain ? domain.id : await findDomainId(deps, domain, { id: "", domainId: "" });
    found.set(key, (await deps.groups.findGroup({ name, domainId: domainId ?? "" }))?.id);
  }
  return [...found.values()];
}

interface ProjectSurroundings {
  readonly provider: Provider;
  readonly userDomainId: string;
}

async function findProjects(
  deps: MappedReferencesDeps,
  projects: readonly ProjectGrant[],
  surroundings: ProjectSurroundings,
): Promise<MappedProject[]> {
  const found: MappedProject[] = [];
  for (const { name, domain, roles } of projects) {
    const roleIds: string[] = [];
    for (const role of roles) roleIds.push(await findRoleId(deps, role.name, surroundings));
    const domainId = await findDomainId(deps, domain, surroundings.provider);
    found.push({ name: name.trim(), domainId, roleIds });
  }
  return found;
}

/** A role of all domains, or else one of the user's. */
async function findRoleId(
  { roles }: MappedReferencesDeps,
  name: string,
  { provider, userDomainId }: ProjectSurroundings,
): Promise<string> {
  const named = await roles.findRolesByName(name);
  const role = named.find(({ domainId }) => domainId === null || domainId === userDomainId);
  if (role !== undefined) return role.id;
  throw named.length === 0 ? new UnknownMappedRoleError(name) : new AssignedRoleError(name, provider.id);
}
