/** One entry of a rule's `local`: templates, read once, and filled with what the rule's conditions let through. */
import { domainWarnings } from "./domain-warnings.js";
import { compileList, isDomainless, type ListTemplate } from "./group-list.js";
import type { RuleWarning } from "../mapping-errors.js";
import type { DomainReference, LocalItem, ProjectGrant } from "./rule-schema.js";
import {
  compileText,
  fillText,
  outOfRange,
  takesValues,
  type DirectMaps,
  type Filling,
  type TextContext,
} from "./text-template.js";
import type { Screen } from "./value-reading.js";

/** Fills a template, or a structure of them. */
export type Fill<Value> = (values: DirectMaps, filling: Filling) => Value;

/** The parts of an entry, ready to be filled. A part that the entry lacks is absent. */
export interface LocalTemplate {
  readonly place: string;
  readonly user?: Fill<Record<string, unknown>>;
  readonly group?: Fill<NonNullable<LocalItem["group"]>>;
  /** Whether the id of `group` takes values from the assertion. */
  readonly groupTakesId: boolean;
  readonly groups?: ListTemplate;
  readonly groupIds?: ListTemplate;
  readonly domain?: Fill<DomainReference>;
  readonly projects?: Fill<ProjectGrant[]>;
  readonly projectsJson?: ProjectsJson;
}

/** An attribute that has projects in JSON. */
export interface ProjectsJson {
  /** The number of its direct map. */
  readonly index: number;
  /** The lists of its condition, which apply to the names of the projects too. */
  readonly screens: readonly Screen[];
}

interface Context extends TextContext {
  /** The lists of each value's condition, where it has one. */
  readonly screens: readonly (Screen | undefined)[];
  readonly warnings: RuleWarning[];
}

/** An entry, ready to be filled. Faults are added to `problems`, and what leaves domains to an assertion to `warnings`. */
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
    ...(item.domain && { domain: compileTree<DomainReference>(item.domain, below("domain")) }),
    ...(item.projects && { projects: compileTree<ProjectGrant[]>(item.projects, below("projects")) }),
    ...(item.projects_json !== undefined && {
      projectsJson: compileProjectsJson(item.projects_json, below("projects_json")),
    }),
  };
}

/** A structure whose texts are templates. The type is what it has in the rules, for it is the same when filled. */
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

/** Keystone reads the number at the start, with or without braces, and nothing behind it. */
function compileProjectsJson(source: string, { count, place, problems, screens }: Context): ProjectsJson {
  const [, digits] = /^\{?(\d+)\}?/.exec(source) ?? [];
  if (digits === undefined)
    problems.push({ place, fault: `expected the number of a value, such as "{0}", found "${source}"` });
  else if (Number(digits) >= count)
    problems.push({ place, fault: outOfRange(source, Number(digits), count) });
  const index = Number(digits ?? 0);
  return { index, screens: screens[index] === undefined ? [] : [screens[index]] };
}

/** A group that is given by its name can't be found without a domain, which Keystone notices at login. */
function checkGroupDomains(item: LocalItem, { place, problems }: TextContext): void {
  const fault = "lacks the id or the name of a domain";
  if (item.group !== undefined && "domain" in item.group && isDomainless(item.group.domain))
    problems.push({ place: `${place}.group.domain`, fault });
  if (item.groups !== undefined && isDomainless(item.domain) && !canBringDomains(item.groups))
    problems.push({ place, fault: `${fault} for "groups"` });
}

/** Groups can bring their domains along: each as `JSON:{"name": ..., "domain": ...}`, alone or in a list. */
function canBringDomains(groups: string): boolean {
  const start = /^(?:\{\{|\}\}|[^{}])*/.exec(groups.replace(/^[ \t]+/, ""))?.[0] ?? "";
  return start === "" || start.startsWith("[") || start.startsWith("JSON:") || "JSON:".startsWith(start);
}
