/** Compiles one entry of a rule's `local`: templates that are filled with the values that pass the rule's conditions. */
import type { RuleWarning } from "../mapping-errors.js";
import { compileList, isDomainless, choosesDomains, type ListTemplate } from "./group-list.js";
import type { RuleDomain, LocalItem, ProjectGrant } from "./rule-schema.js";
import {
  compileText,
  fillText,
  outOfRange,
  takesValues,
  type DirectMaps,
  type Filling,
  type TextContext,
} from "./text-template.js";
import type { ValueFilter } from "./value-reading.js";

/** Fills a template, or a structure of templates. */
export type Fill<Value> = (values: DirectMaps, filling: Filling) => Value;

/** A compiled entry. Members that the entry lacks are absent. */
export interface LocalTemplate {
  readonly place: string;
  readonly user?: Fill<Record<string, unknown>>;
  readonly group?: Fill<NonNullable<LocalItem["group"]>>;
  /** Whether the id of `group` takes values from the assertion. */
  readonly groupTakesId: boolean;
  readonly groups?: ListTemplate;
  readonly groupIds?: ListTemplate;
  readonly domain?: Fill<RuleDomain>;
  readonly projects?: Fill<ProjectGrant[]>;
  readonly projectsJson?: ProjectsJson;
}

/** A value that holds projects as JSON. */
export interface ProjectsJson {
  /** The number of the value, 0 for `{0}`. */
  readonly index: number;
  /** The lists of its condition, which also apply to the names of the projects. */
  readonly filters: readonly ValueFilter[];
}

interface Context extends TextContext {
  /** For each value, the list of its condition. */
  readonly filters: readonly (ValueFilter | undefined)[];
  readonly warnings: RuleWarning[];
}

/** Compiles an entry. Adds faults to `problems`, and members by which an assertion chooses domains to `warnings`. */
export function compileLocal(item: LocalItem, context: Context): LocalTemplate {
  const below = (name: string): Context => ({ ...context, place: `${context.place}.${name}` });
  checkGroupDomains(item, context);
  const groups = item.groups === undefined ? undefined : compileList(item.groups, below("groups"));
  context.warnings.push(...domainWarnings(item, { place: context.place, groups }));
  return {
    place: context.place,
    groupTakesId: item.group !== undefined && "id" in item.group && takesValues(item.group.id),
    ...(item.user && { user: compileTree<Record<string, unknown>>(item.user, below("user")) }),
    ...(item.group && { group: compileTree<NonNullable<LocalItem["group"]>>(item.group, below("group")) }),
    ...(groups && { groups }),
    ...(item.group_ids !== undefined && { groupIds: compileList(item.group_ids, below("group_ids")) }),
    ...(item.domain && { domain: compileTree<RuleDomain>(item.domain, below("domain")) }),
    ...(item.projects && { projects: compileTree<ProjectGrant[]>(item.projects, below("projects")) }),
    ...(item.projects_json !== undefined && {
      projectsJson: compileProjectsJson(item.projects_json, below("projects_json")),
    }),
  };
}

/** Compiles a structure whose strings are templates. Filled, it has the type that it has in the rules. */
function compileTree<Tree>(tree: unknown, context: TextContext): Fill<Tree> {
  if (typeof tree === "string") {
    const text = compileText(tree, context);
    return (values, filling) => fillText(text, values, filling) as Tree;
  }
  if (Array.isArray(tree)) {
    const items = tree.map((item: unknown, index) =>
      compileTree<unknown>(item, { ...context, place: `${context.place}[${index}]` }),
    );
    return (values, filling) => items.map((fill) => fill(values, filling)) as Tree;
  }
  const members = Object.entries(tree as object).map(
    ([name, member]) =>
      [name, compileTree<unknown>(member, { ...context, place: `${context.place}.${name}` })] as const,
  );
  return (values, filling) => {
    const filled: Record<string, unknown> = {};
    for (const [name, fill] of members) filled[name] = fill(values, filling);
    return filled as Tree;
  };
}

/** Keystone reads the number at the start, with or without braces, and ignores the rest. */
function compileProjectsJson(source: string, { count, place, problems, filters }: Context): ProjectsJson {
  const [, digits] = /^\{?(\d+)\}?/.exec(source) ?? [];
  if (digits === undefined)
    problems.push({ place, fault: `expected the number of a value, such as "{0}", found "${source}"` });
  else if (Number(digits) >= count)
    problems.push({ place, fault: outOfRange(source, Number(digits), count) });
  const index = Number(digits ?? 0);
  return { index, filters: filters[index] === undefined ? [] : [filters[index]] };
}

/** A group by name needs a domain. Keystone notices at login. */
function checkGroupDomains(item: LocalItem, { place, problems }: TextContext): void {
  const fault = "lacks the id or name of a domain";
  if (item.group !== undefined && "domain" in item.group && isDomainless(item.group.domain))
    problems.push({ place: `${place}.group.domain`, fault });
  if (item.groups !== undefined && isDomainless(item.domain) && !canBringDomains(item.groups))
    problems.push({ place, fault: `${fault} for "groups"` });
}

/** Whether the groups may carry their domains: each as `JSON:{"name": ..., "domain": ...}`, alone or in a list. */
function canBringDomains(groups: string): boolean {
  const start = /^(?:\{\{|\}\}|[^{}])*/.exec(groups.replace(/^[ \t]+/, ""))?.[0] ?? "";
  return start === "" || start.startsWith("[") || start.startsWith("JSON:") || "JSON:".startsWith(start);
}

interface WarnedEntry {
  readonly place: string;
  /** The compiled `groups` of the entry. */
  readonly groups: ListTemplate | undefined;
}

/** The members of an entry by which the assertion chooses a domain. */
function domainWarnings(item: LocalItem, { place, groups }: WarnedEntry): RuleWarning[] {
  const { user, group, group_ids, domain, projects = [], projects_json } = item;
  const isBound = !isDomainless(domain);
  const warn = (part: string, reason: string): RuleWarning => ({ place: `${place}.${part}`, reason });
  const named: readonly (readonly [string, RuleDomain | null | undefined])[] = [
    ["domain", domain],
    ["user.domain", user?.domain],
    ["group.domain", group !== undefined && "domain" in group ? group.domain : undefined],
    ...projects.map((project, index) => [`projects[${index}].domain`, project.domain] as const),
  ];
  const takesGroupId = group !== undefined && "id" in group && takesValues(group.id);
  const takesLocalId = user?.type === "local" && takesValues(user.id) && isDomainless(user.domain);
  return [
    ...named.filter(([, reference]) => takesDomain(reference)).map(([part]) => warn(part, CHOSEN)),
    ...(!isBound && groups !== undefined && choosesDomains(groups) ? [warn("groups", UNBOUND)] : []),
    ...(!isBound && takesValues(group_ids) ? [warn("group_ids", UNBOUND)] : []),
    ...(!isBound && takesGroupId ? [warn("group.id", UNBOUND)] : []),
    ...(!isBound && projects_json !== undefined ? [warn("projects_json", UNBOUND)] : []),
    ...(!isBound && takesLocalId ? [warn("user.id", "the assertion chooses users of any domain")] : []),
  ];
}

const CHOSEN = "the assertion chooses the domain";
const UNBOUND = `the assertion chooses among all domains; a "domain" in this entry restricts it to that one`;

function takesDomain(reference: RuleDomain | null | undefined): boolean {
  return takesValues(reference?.id) || takesValues(reference?.name);
}
