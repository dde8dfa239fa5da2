/**
 * Builds the mapped identity: the `local` entries of matching rules, filled and merged in order as in Keystone. Its oddities
 * are kept, because operators' rules depend on them.
 */
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../platform/text/exact-json.js";
import {
  addIds,
  COST_OF_MEMBER,
  isDomainless,
  readGroups,
  readIds,
  type ListContext,
  type MappedGroup,
} from "./group-list.js";
import type { LocalTemplate, ProjectsJson } from "./local-template.js";
import { MappingFailure } from "./mapping-failure.js";
import type { Literal } from "../../platform/text/python-literal.js";
import { spend, type StepBudget } from "../python/step-budget.js";
import {
  checkProjects,
  isRecord,
  type RuleDomain,
  type LocalItem,
  type ProjectGrant,
  type SchemaVersion,
  type UserType,
} from "./rule-schema.js";
import type { DirectMaps, Filling, Watch } from "./text-template.js";
import { passesFilters } from "./value-reading.js";

/** The user, groups and projects that an assertion maps to. */
export interface MappedIdentity {
  readonly user: MappedUser;
  /** Without duplicates. Strings, unless an attribute's value is a list with other members. */
  readonly group_ids: readonly Literal[];
  /** Groups by name and domain, with duplicates. An attribute may contain any JSON: `readGroupReference` validates a member. */
  readonly group_names: readonly MappedGroup[];
  readonly projects: readonly ProjectGrant[];
}

/** An identity, with the domains of its groups by id. */
export interface FinishedIdentity {
  readonly identity: MappedIdentity;
  /**
   * The allowed domains of each group id: where the assertion chooses the id, and the rule a domain.
   * `undefined` for any.
   */
  readonly groupIdDomains: ReadonlyMap<Literal, readonly RuleDomain[] | undefined>;
}

export interface MappedUser {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  /** Present from schema 2.0 on; `null` without a domain. */
  readonly domain?: RuleDomain | null;
  readonly type: UserType;
}

/** Observes which templates are filled, and which results are ignored. */
export interface BuildWatch {
  readonly filled: Watch;
  readonly ignored: (place: string, reason: string) => void;
}

/** The identity under construction. */
export interface IdentityDraft {
  readonly honorsDomain: boolean;
  readonly watch: BuildWatch | undefined;
  readonly filling: Filling;
  isEmpty: boolean;
  user: Record<string, unknown>;
  userPlace: string | undefined;
  /** The domain of the last entry applies to the user. */
  lastDomain: RuleDomain | undefined;
  readonly groupIds: Map<string, Literal>;
  readonly groupIdDomains: Map<Literal, readonly RuleDomain[] | undefined>;
  readonly groupNames: MappedGroup[];
  readonly groupsByDomain: Map<string | undefined, Map<string, MappedGroup>>;
  projects: readonly ProjectGrant[];
  projectsPlace: string | undefined;
}

export function draftIdentity(
  version: SchemaVersion,
  { budget, watch }: { readonly budget: StepBudget; readonly watch: BuildWatch | undefined },
): IdentityDraft {
  return {
    honorsDomain: version !== "1.0",
    watch,
    filling: { budget, filled: watch?.filled },
    isEmpty: true,
    user: {},
    userPlace: undefined,
    lastDomain: undefined,
    groupIds: new Map(),
    groupIdDomains: new Map(),
    groupNames: [],
    groupsByDomain: new Map(),
    projects: [],
    projectsPlace: undefined,
  };
}

/**
 * Fills an entry, and merges the result.
 *
 * @throws {MappingFailure} The values don't fit a template.
 */
export function addLocal(draft: IdentityDraft, local: LocalTemplate, values: DirectMaps): void {
  const { filling } = draft;
  draft.isEmpty = false;
  const domain = local.domain?.(values, filling);
  draft.lastDomain = domain;
  if (local.user !== undefined) addUser(draft, local.place, local.user(values, filling));
  if (local.group !== undefined) {
    const group = local.group(values, filling);
    if ("name" in group) addGroup(draft, group);
    else addGroupIds(draft, [group.id], { place: "", domain: local.groupTakesId ? domain : undefined });
  }
  const context: ListContext = { values, filling, ignored: draft.watch?.ignored };
  if (local.groups !== undefined)
    for (const group of readGroups(local.groups, domain, context)) draft.groupNames.push(group);
  if (local.groupIds !== undefined) {
    const ids = readIds(local.groupIds, context);
    const { text, takesValues } = local.groupIds;
    addGroupIds(draft, ids, { place: text.place, domain: takesValues ? domain : undefined });
  }
  if (local.projects !== undefined || local.projectsJson !== undefined)
    addProjects(draft, local, { values, domain });
}

/** @returns `undefined` if no entry was added. */
export function finishIdentity(draft: IdentityDraft): FinishedIdentity | undefined {
  if (draft.isEmpty) return undefined;
  const { user, groupIds, groupIdDomains } = draft;
  user["type"] ??= "ephemeral";
  const identity: MappedIdentity = {
    user: (draft.honorsDomain ? withDomain(user, draft.lastDomain) : user) as unknown as MappedUser,
    group_ids: groupIds.size === 0 ? [] : [...groupIds.values()],
    group_names: draft.groupNames,
    projects: draft.projects,
  };
  return { identity, groupIdDomains };
}

/** The first non-empty user wins. */
function addUser(draft: IdentityDraft, place: string, user: Record<string, unknown>): void {
  if (draft.userPlace !== undefined) {
    draft.watch?.ignored(`${place}.user`, `${draft.userPlace}.user came first`);
    return;
  }
  draft.user = user;
  if (!isEmpty(user)) draft.userPlace = place;
}

/** @param options.domain The domain that the groups must belong to; any if absent or empty. */
function addGroupIds(
  { groupIds, groupIdDomains }: IdentityDraft,
  ids: readonly Literal[],
  { place, domain }: { readonly place: string; readonly domain: RuleDomain | undefined },
): void {
  addIds(groupIds, ids, place);
  for (const id of ids) {
    const others = groupIdDomains.has(id) ? groupIdDomains.get(id) : [];
    const isFree = others === undefined || isDomainless(domain);
    if (isFree) groupIdDomains.set(id, undefined);
    else if (!others.includes(domain)) groupIdDomains.set(id, [...others, domain]);
  }
}

type NamedGroup = Extract<NonNullable<LocalItem["group"]>, { readonly name: string }>;

/** As in Keystone, each group is listed together with all groups before it: two groups make three members. */
function addGroup(draft: IdentityDraft, group: NamedGroup): void {
  const { id, name } = group.domain;
  const domain = name === undefined || name === "" ? id : name;
  const siblings = draft.groupsByDomain.get(domain) ?? new Map<string, MappedGroup>();
  draft.groupsByDomain.set(domain, siblings.set(group.name, group));
  for (const groups of draft.groupsByDomain.values()) {
    spend(draft.filling.budget, groups.size * COST_OF_MEMBER);
    for (const listed of groups.values()) draft.groupNames.push(listed);
  }
}

/** The last entry with projects wins. */
function addProjects(
  draft: IdentityDraft,
  { place, projects, projectsJson }: LocalTemplate,
  { values, domain }: { readonly values: DirectMaps; readonly domain: RuleDomain | undefined },
): void {
  if (draft.projectsPlace !== undefined)
    draft.watch?.ignored(`${draft.projectsPlace}.projects`, `${place} has projects too, and comes later`);
  draft.projectsPlace = place;
  const own = projects?.(values, draft.filling) ?? [];
  const read = projectsJson === undefined ? [] : readProjects(draft, projectsJson, { values, place });
  draft.projects = draft.honorsDomain
    ? [
        ...own.map((project) => withDomain(project, domain)),
        ...read.map((project) => inDomain(project, domain)),
      ]
    : [...own, ...read];
}

/** Reads projects as JSON from an attribute's only value. An empty list of values means no projects. */
function readProjects(
  { filling, watch }: IdentityDraft,
  { index, filters }: ProjectsJson,
  { values, place: entry }: { readonly values: DirectMaps; readonly place: string },
): readonly ProjectGrant[] {
  const place = `${entry}.projects_json`;
  const value = values[index] ?? "";
  if (typeof value === "string" && isNestedTooDeep(value))
    throw new MappingFailure(
      "malformed-projects",
      `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`,
      place,
    );
  let json: unknown = value;
  try {
    if (typeof value === "string") json = JSON.parse(value);
  } catch (cause) {
    throw new MappingFailure("malformed-projects", `invalid JSON: ${(cause as Error).message}`, place);
  }
  const [problem] = checkProjects(json, place);
  if (problem !== undefined) throw new MappingFailure("malformed-projects", problem.fault, problem.place);
  const context = { filters, place, budget: filling.budget, ignored: watch?.ignored };
  return (json as readonly ProjectGrant[]).filter(({ name }) => passesFilters([name], context));
}

/** From schema 2.0 on, the entry's domain applies to members without one. */
function withDomain<Entry extends object>(entry: Entry, domain: RuleDomain | undefined): Entry {
  const own = "domain" in entry ? entry.domain : undefined;
  return isRecord(own) && !isEmpty(own) ? entry : { ...entry, domain: domain ?? null };
}

/** A project from an assertion: unlike in Keystone, its own domain counts only where the rule names none. */
function inDomain(project: ProjectGrant, domain: RuleDomain | undefined): ProjectGrant {
  return isDomainless(domain) ? withDomain(project, domain) : { ...project, domain };
}

function isEmpty(object: object): boolean {
  for (const _name in object) return false;
  return true;
}
