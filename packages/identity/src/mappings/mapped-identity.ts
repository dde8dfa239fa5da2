/**
 * What the rules that matched make of a user: entries of `local`, filled and put together in their order, as Keystone
 * does it. Where that is odd, it is odd here too, because operators' rules live with it.
 */
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../platform/json-depth.js";
import { addIds, COST_OF_MEMBER, fillList, readGroups, type MappedGroup } from "./group-list.js";
import type { DirectMaps, Filling, LocalTemplate, Watch } from "./local-template.js";
import { MappingFailure } from "./mapping-failure.js";
import type { Literal } from "./python/literal.js";
import { spend, type StepBudget } from "./python/step-budget.js";
import {
  checkProjects,
  isRecord,
  type DomainReference,
  type ProjectGrant,
  type SchemaVersion,
  type UserType,
} from "./rule-schema.js";

/** Who somebody is here, and what they get. */
export interface MappedIdentity {
  readonly user: MappedUser;
  /** Each once. Texts, unless an attribute's own text is a list with something else in it. */
  readonly group_ids: readonly Literal[];
  /** Groups by name and domain, some of them repeatedly. `readGroupReference` reads one: an attribute may bring any JSON. */
  readonly group_names: readonly MappedGroup[];
  readonly projects: readonly ProjectGrant[];
}

export interface MappedUser {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  /** From schema 2.0 on always there; `null` without a domain. */
  readonly domain?: DomainReference | null;
  readonly type: UserType;
}

/** Is told what is filled in, and what of it is left aside because of something before or behind it. */
export interface BuildWatch {
  readonly filled: Watch;
  ignored(place: string, reason: string): void;
}

/** What has been put together so far. */
export interface IdentityDraft {
  readonly honorsDomain: boolean;
  readonly watch: BuildWatch | undefined;
  readonly filling: Filling;
  isEmpty: boolean;
  user: Record<string, unknown>;
  userPlace: string | undefined;
  /** The domain of the last entry: it counts for the user. */
  lastDomain: DomainReference | undefined;
  readonly groupIds: Map<string, Literal>;
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
    groupNames: [],
    groupsByDomain: new Map(),
    projects: [],
    projectsPlace: undefined,
  };
}

/**
 * Fills an entry, and adds what it gives.
 *
 * @throws {MappingFailure} It can't be filled with these values.
 */
export function addLocal(draft: IdentityDraft, local: LocalTemplate, values: DirectMaps): void {
  const { filling } = draft;
  draft.isEmpty = false;
  const domain = local.domain?.(values, filling);
  draft.lastDomain = domain;
  if (local.user !== undefined) addUser(draft, local.place, local.user(values, filling));
  if (local.group !== undefined) addGroup(draft, local.group(values, filling));
  if (local.groups !== undefined) {
    const groups = readGroups(fillList(local.groups, values, filling), { domain, place: local.groups.place });
    for (const group of groups) draft.groupNames.push(group);
  }
  if (local.groupIds !== undefined)
    addIds(draft.groupIds, fillList(local.groupIds, values, filling).members, local.groupIds.place);
  if (local.projects !== undefined || local.projectsJson !== undefined)
    addProjects(draft, local, { values, domain });
}

/** What there is in the end; `undefined`, if nothing was added. */
export function finishIdentity(draft: IdentityDraft): MappedIdentity | undefined {
  if (draft.isEmpty) return undefined;
  const { user, groupIds } = draft;
  user["type"] ??= "ephemeral";
  return {
    user: (draft.honorsDomain ? withDomain(user, draft.lastDomain) : user) as unknown as MappedUser,
    group_ids: groupIds.size === 0 ? [] : [...groupIds.values()],
    group_names: draft.groupNames,
    projects: draft.projects,
  };
}

/** The first user counts, except that an empty one is none. */
function addUser(draft: IdentityDraft, place: string, user: Record<string, unknown>): void {
  if (draft.userPlace !== undefined) {
    draft.watch?.ignored(`${place}.user`, `${draft.userPlace}.user came first`);
    return;
  }
  draft.user = user;
  if (!isEmpty(user)) draft.userPlace = place;
}

type Group = ReturnType<NonNullable<LocalTemplate["group"]>>;

/** Keystone lists again what came before: two groups make three members. */
function addGroup(draft: IdentityDraft, group: Group): void {
  if (!("name" in group)) {
    addIds(draft.groupIds, [group.id], "");
    return;
  }
  const { id, name } = group.domain;
  const domain = name === undefined || name === "" ? id : name;
  const siblings = draft.groupsByDomain.get(domain) ?? new Map<string, MappedGroup>();
  draft.groupsByDomain.set(domain, siblings.set(group.name, group));
  for (const groups of draft.groupsByDomain.values()) {
    spend(draft.filling.budget, groups.size * COST_OF_MEMBER);
    for (const listed of groups.values()) draft.groupNames.push(listed);
  }
}

/** The last entry that has projects counts. */
function addProjects(
  draft: IdentityDraft,
  { place, projects, projectsJson }: LocalTemplate,
  { values, domain }: { readonly values: DirectMaps; readonly domain: DomainReference | undefined },
): void {
  if (draft.projectsPlace !== undefined)
    draft.watch?.ignored(`${draft.projectsPlace}.projects`, `${place} has projects too, and comes behind it`);
  draft.projectsPlace = place;
  const granted = [
    ...(projects?.(values, draft.filling) ?? []),
    ...(projectsJson === undefined ? [] : readProjects(values[projectsJson] ?? "", `${place}.projects_json`)),
  ];
  draft.projects = draft.honorsDomain ? granted.map((project) => withDomain(project, domain)) : granted;
}

/** Projects in JSON, from an attribute's only value. A list that a test has left empty means none. */
function readProjects(value: DirectMaps[number], place: string): readonly ProjectGrant[] {
  let projects: unknown = value;
  if (typeof value === "string" && isNestedTooDeep(value))
    throw new MappingFailure(
      "malformed-projects",
      `the JSON is nested deeper than ${MAX_JSON_DEPTH} levels`,
      place,
    );
  try {
    if (typeof value === "string") projects = JSON.parse(value);
  } catch (cause) {
    throw new MappingFailure("malformed-projects", `no JSON: ${(cause as Error).message}`, place);
  }
  const [problem] = checkProjects(projects, place);
  if (problem !== undefined) throw new MappingFailure("malformed-projects", problem.fault, problem.place);
  return projects as readonly ProjectGrant[];
}

/** From schema 2.0 on, the domain beside it holds for what has none. */
function withDomain<Entry extends object>(entry: Entry, domain: DomainReference | undefined): Entry {
  const own = "domain" in entry ? entry.domain : undefined;
  return isRecord(own) && !isEmpty(own) ? entry : { ...entry, domain: domain ?? null };
}

function isEmpty(object: object): boolean {
  for (const _name in object) return false;
  return true;
}
