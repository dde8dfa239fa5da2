/** Resolves the domains, groups, projects and roles that a mapping names, in a few queries. */
import { readGroupReference, type GroupReference } from "../../mappings/rules/group-list.js";
import type { FinishedIdentity } from "../../mappings/rules/mapped-identity.js";
import type { RuleDomain, ProjectGrant } from "../../mappings/rules/rule-schema.js";
import { placeKey, type DomainScopedName } from "../../platform/database/domain-scoped-names.js";
import { nameFault, normalizeName, toNfc } from "../../platform/text/name-characters.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { DomainNotFoundError } from "../../projects/project-errors.js";
import type { Role } from "../../roles/role.js";
import {
  AssertionForbiddenError,
  AssertionRefusedError,
  AssignedRoleError,
  UnknownMappedRoleError,
} from "../federation-errors.js";

interface Domain {
  readonly id: string;
  readonly name: string;
}

interface Group {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
}

/** The queries to other features: each runs once per login, however much a mapping names. */
export interface MappedReferencesDeps {
  readonly projects: {
    findDomains(references: {
      readonly names: readonly string[];
      readonly ids: readonly string[];
    }): Promise<readonly Domain[]>;
  };
  readonly groups: {
    findGroupsById(ids: readonly string[]): Promise<readonly Group[]>;
    findGroupsByName(places: readonly DomainScopedName[]): Promise<readonly Group[]>;
  };
  readonly roles: { findRolesByName(names: readonly string[]): Promise<readonly Role[]> };
}

/** The identity provider of the login. */
export interface ReferringProvider extends RestrictedProvider {
  readonly domainId: string;
}

export interface RestrictedProvider {
  readonly id: string;
  /** The domains to which the provider is restricted; `null` for all. */
  readonly authorizedDomains: readonly string[] | null;
}

export interface FoundReferences {
  readonly domainId: string;
  readonly groupIds: readonly string[];
  readonly projects: readonly MappedProject[];
  /** Whether everything that the mapping names exists: the rest may be created later, without a notice. */
  readonly isComplete: boolean;
  /** Groups by name that do not exist. */
  readonly missingGroups: readonly GroupReference[];
  /** Why group names were ignored that no group can have, each reason once. */
  readonly unusableNames: readonly string[];
}

/** A project that the mapping demands, and the user's roles in it. */
export interface MappedProject {
  readonly name: string;
  readonly domainId: string;
  readonly roleIds: readonly string[];
}

/** Limits of what one login names. */
export const MAX_GROUPS = 1000;
export const MAX_PROJECTS = 200;
const MAX_ROLES = 1000;
const MAX_NAME_LENGTH = 255;
/** Ids that a rejection names. */
const MAX_SHOWN_IDS = 3;

/** More groups, projects or roles than a login may name. Rejected before any query. */
export class TooManyReferencesError extends AssertionRefusedError {
  constructor(step: string, { count, max }: { readonly count: number; readonly max: number }) {
    super({ step, reason: `the mapping names ${count} ${step}, expected at most ${max}` });
  }
}

/**
 * @throws {TooManyReferencesError} {@link AssertionRefusedError} A group id does not exist, or not in the rule's domain.
 * @throws {AssertionForbiddenError} A domain is not among the provider's `authorized_domains`.
 * @throws {DomainNotFoundError} {@link UnknownMappedRoleError} {@link AssignedRoleError}
 */
export async function findReferences(
  deps: MappedReferencesDeps,
  { identity, groupIdDomains }: FinishedIdentity,
  provider: ReferringProvider,
): Promise<FoundReferences> {
  const { user, group_ids: ids, projects } = identity;
  const { named, unusableNames } = readNames(identity.group_names);
  requireAtMost(MAX_GROUPS, "groups", ids.length + named.length);
  requireAtMost(MAX_PROJECTS, "projects", projects.length);

  const domains = await findDomains(deps, [
    user.domain,
    ...projects.map(({ domain }) => domain),
    ...[...groupIdDomains.values()].flatMap((some) => some ?? []),
    // For groups, domain ids need no lookup: a domain that does not exist has no groups.
    ...named.map(({ domain }) => domain).filter((domain) => domain.id === undefined),
  ]);
  const domainId = domains.idOf(user.domain) ?? provider.domainId;
  if (domainId !== provider.domainId) requireAuthorizedDomain(provider, domainId, "the user");

  const byId = await groupsById(deps, ids, { groupIdDomains, domains, provider });
  const byName = await groupsByName(deps, named, { domains, provider });
  return {
    domainId,
    groupIds: [...new Set([...byId, ...byName.flatMap((id) => id ?? [])])],
    projects: await findProjects(deps, projects, { domains, provider, userDomainId: domainId }),
    isComplete: !byName.includes(undefined),
    // An empty list of groups is one empty name.
    missingGroups: named.filter(({ name }, index) => byName[index] === undefined && name !== ""),
    unusableNames,
  };
}

/**
 * @param what The resource in the domain, such as "a group".
 * @throws {AssertionForbiddenError} The domain is not among the provider's `authorized_domains`.
 */
export function requireAuthorizedDomain(
  { authorizedDomains }: RestrictedProvider,
  domainId: string,
  what: string,
): void {
  if (authorizedDomains === null || authorizedDomains.includes(domainId)) return;
  const reason = `${what} is in domain ${quoted(domainId)}, which is not among the provider's authorized_domains`;
  throw new AssertionForbiddenError({ step: "authorized-domains", reason, domainId: domainId.slice(0, 64) });
}

function requireAtMost(max: number, step: string, count: number): void {
  if (count > max) throw new TooManyReferencesError(step, { count, max });
}

/** Groups by name, each once, without names that no group can have. */
function readNames(members: FinishedIdentity["identity"]["group_names"]) {
  const named = new Map<string, GroupReference>();
  const unusableNames = new Set<string>();
  for (const member of members) {
    const reference = readGroupReference(member);
    if (reference === undefined) continue;
    const { name, domain } = reference;
    const fault = nameFault(name) ?? (name.length > MAX_NAME_LENGTH ? TOO_LONG : undefined);
    if (fault === undefined) named.set(JSON.stringify([name, domain.id, domain.name]), reference);
    else unusableNames.add(fault);
  }
  return { named: [...named.values()], unusableNames: [...unusableNames] };
}

const TOO_LONG = `has more than ${MAX_NAME_LENGTH} characters`;

interface FoundDomains {
  /**
   * The id of a domain; `undefined` where none is named.
   *
   * @throws {DomainNotFoundError}
   */
  idOf(reference: RuleDomain | null | undefined): string | undefined;
}

async function findDomains(
  { projects }: MappedReferencesDeps,
  references: readonly (RuleDomain | null | undefined)[],
): Promise<FoundDomains> {
  const ids = new Set(references.flatMap((reference) => reference?.id || []));
  const names = new Set(references.flatMap((reference) => (reference?.id ? [] : reference?.name || [])));
  const found =
    ids.size + names.size === 0 ? [] : await projects.findDomains({ ids: [...ids], names: [...names] });
  const known = new Set(found.map(({ id }) => id));
  const idsByName = new Map(found.map(({ id, name }) => [name, id]));
  return {
    idOf(reference) {
      const { id = "", name = "" } = reference ?? {};
      if (id === "" && name === "") return undefined;
      const domainId = id === "" ? idsByName.get(name) : known.has(id) ? id : undefined;
      if (domainId === undefined) throw new DomainNotFoundError(id || name);
      return domainId;
    },
  };
}

interface ReferenceContext {
  readonly domains: FoundDomains;
  readonly provider: ReferringProvider;
}

async function groupsById(
  { groups }: MappedReferencesDeps,
  ids: readonly unknown[],
  { groupIdDomains, domains, provider }: ReferenceContext & Pick<FinishedIdentity, "groupIdDomains">,
): Promise<string[]> {
  const texts = ids.filter((id) => typeof id === "string");
  const found = new Map((await groups.findGroupsById(texts)).map((group) => [group.id, group]));
  if (texts.length < ids.length || found.size < texts.length) {
    const missing = ids.filter((id) => typeof id !== "string" || !found.has(id));
    const shown = missing.slice(0, MAX_SHOWN_IDS).map((id) => quoted(String(id)));
    throw refused(
      `${missing.length} of the ${ids.length} group ids that the mapping names do not exist: ${shown.join(", ")}`,
    );
  }
  for (const { id, domainId } of found.values()) {
    const bound = groupIdDomains.get(id);
    if (bound !== undefined && !bound.some((reference) => domains.idOf(reference) === domainId))
      throw refused(
        `group ${quoted(id)} is in domain ${quoted(domainId)}, expected the domain of the mapping rule`,
      );
    requireAuthorizedDomain(provider, domainId, "a group");
  }
  return texts;
}

/** The ids; `undefined` for each group that does not exist. */
async function groupsByName(
  { groups }: MappedReferencesDeps,
  named: readonly GroupReference[],
  { domains, provider }: ReferenceContext,
): Promise<(string | undefined)[]> {
  const places = named.map(({ name, domain }) => ({
    name,
    domainId: domain.id ?? domains.idOf(domain) ?? "",
  }));
  for (const { domainId } of places) requireAuthorizedDomain(provider, domainId, "a group");
  // Also as received: groups created before names were normalized.
  const wanted = places.flatMap(({ name: sent, domainId }) =>
    spellings(sent).map((name) => ({ name, domainId })),
  );
  const found = await groups.findGroupsByName(wanted);
  const ids = new Map(found.map((group) => [placeKey(group), group.id]));
  return places.map((place) =>
    spellings(place.name)
      .map((name) => ids.get(placeKey({ ...place, name })))
      .find((id) => id !== undefined),
  );
}

function spellings(name: string): string[] {
  const normalized = toNfc(name);
  return normalized === name ? [name] : [normalized, name];
}

async function findProjects(
  { roles }: MappedReferencesDeps,
  projects: readonly ProjectGrant[],
  { domains, provider, userDomainId }: ReferenceContext & { readonly userDomainId: string },
): Promise<MappedProject[]> {
  const roleNames = new Set(projects.flatMap((project) => project.roles.map(({ name }) => name)));
  requireAtMost(MAX_ROLES, "roles", roleNames.size);
  const known = new Map<string, Role[]>();
  for (const role of await roles.findRolesByName([...roleNames]))
    known.set(role.name, [...(known.get(role.name) ?? []), role]);
  return projects.map(({ name: sent, domain, roles: given }) => {
    const roleIds = given.map(({ name }) => roleIdOf(name, { known, provider, userDomainId }));
    const domainId = domains.idOf(domain) ?? provider.domainId;
    requireAuthorizedDomain(provider, domainId, "a project");
    const fault = nameFault(sent);
    if (fault !== undefined)
      throw new AssertionRefusedError({ step: "projects", reason: `the name of a project ${fault}` });
    return { name: normalizeName(sent), domainId, roleIds };
  });
}

interface RoleContext {
  readonly known: ReadonlyMap<string, readonly Role[]>;
  readonly provider: ReferringProvider;
  readonly userDomainId: string;
}

/** A global role, or else one of the user's domain. */
function roleIdOf(wanted: string, { known, provider, userDomainId }: RoleContext): string {
  const named = known.get(wanted) ?? [];
  const role = named.find(({ domainId }) => domainId === null || domainId === userDomainId);
  if (role !== undefined) return role.id;
  throw named.length === 0 ? new UnknownMappedRoleError(wanted) : new AssignedRoleError(wanted, provider.id);
}

function refused(reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step: "groups", reason });
}
