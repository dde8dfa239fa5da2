/** One entry of a rule's `local`: templates, read once, and filled with what the rule's conditions let through. */
import type { RuleProblem } from "./mapping-errors.js";
import { MappingFailure } from "./mapping-failure.js";
import {
  fieldsOf,
  FillError,
  fillTemplate,
  parseTemplate,
  TemplateError,
  type FieldValue,
  type Template,
} from "./python/format.js";
import { spend, type StepBudget } from "./python/step-budget.js";
import type { DomainReference, LocalItem, ProjectGrant } from "./rule-schema.js";

/** What direct maps a rule has, for each of its templates to fill in. */
export type DirectMaps = readonly FieldValue[];

/** Fills a template, or a structure of them. */
export type Fill<Value> = (values: DirectMaps, filling: Filling) => Value;

/** What filling needs beside the values. */
export interface Filling {
  readonly budget: StepBudget;
  readonly filled: Watch | undefined;
}

/** Is told what becomes of a template. */
export type Watch = (filled: {
  readonly place: string;
  readonly template: Template;
  readonly value: string;
}) => void;

/** A template, and where it stands. */
export interface TextTemplate {
  readonly place: string;
  readonly template: Template;
}

/** The parts of an entry, ready to be filled. A part that the entry lacks is absent. */
export interface LocalTemplate {
  readonly place: string;
  readonly user?: Fill<Record<string, unknown>>;
  readonly group?: Fill<NonNullable<LocalItem["group"]>>;
  readonly groups?: TextTemplate;
  readonly groupIds?: TextTemplate;
  readonly domain?: Fill<DomainReference>;
  readonly projects?: Fill<ProjectGrant[]>;
  /** The number of the direct map that has the JSON. */
  readonly projectsJson?: number;
}

interface Context {
  /** How many values there are to fill in. */
  readonly count: number;
  readonly place: string;
  readonly problems: RuleProblem[];
}

/** An entry, ready to be filled. Faults are added to `problems`. */
export function compileLocal(item: LocalItem, context: Context): LocalTemplate {
  const below = (name: string): Context => ({ ...context, place: `${context.place}.${name}` });
  checkGroupDomains(item, context);
  return {
    place: context.place,
    ...(item.user && { user: compileTree<Record<string, unknown>>(item.user, below("user")) }),
    ...(item.group && { group: compileTree<NonNullable<LocalItem["group"]>>(item.group, below("group")) }),
    ...(item.groups !== undefined && { groups: compileText(item.groups, below("groups")) }),
    ...(item.group_ids !== undefined && { groupIds: compileText(item.group_ids, below("group_ids")) }),
    ...(item.domain && { domain: compileTree<DomainReference>(item.domain, below("domain")) }),
    ...(item.projects && { projects: compileTree<ProjectGrant[]>(item.projects, below("projects")) }),
    ...(item.projects_json !== undefined && {
      projectsJson: compileProjectsJson(item.projects_json, below("projects_json")),
    }),
  };
}

/** A structure whose texts are templates. The type is what it has in the rules, for it is the same when filled. */
function compileTree<Tree>(tree: unknown, context: Context): Fill<Tree> {
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

function compileText(source: string, { count, place, problems }: Context): TextTemplate {
  const template = readTemplate(source, { place, problems });
  const missing = fieldsOf(template).find(({ index }) => index >= count);
  if (missing !== undefined) problems.push({ place, fault: outOfRange(source, missing.index, count) });
  return { place, template };
}

/**
 * A template, filled.
 *
 * @throws {MappingFailure} The values don't have what it asks for.
 * @throws {StepBudgetError} The budget ran out.
 */
export function fillText(
  { place, template }: TextTemplate,
  values: DirectMaps,
  { budget, filled }: Filling,
): string {
  try {
    const value = fillTemplate(template, values);
    spend(budget, 1 + value.length);
    filled?.({ place, template, value });
    return value;
  } catch (error) {
    if (error instanceof FillError) throw new MappingFailure(error.reason, error.message, place);
    throw error;
  }
}

function readTemplate(source: string, { place, problems }: Omit<Context, "count">): Template {
  try {
    return parseTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    problems.push({ place, fault: error.message });
    return { source, parts: [], lone: undefined };
  }
}

function outOfRange(source: string, index: number, count: number): string {
  const there = count === 0 ? "no values" : count === 1 ? "one value, {0}" : `values {0} to {${count - 1}}`;
  return `"${source}" asks for {${index}}, but "remote" gives ${there}: any_one_of and not_any_of give none`;
}

/** Keystone reads the number at the start, with or without braces, and nothing behind it. */
function compileProjectsJson(source: string, { count, place, problems }: Context): number {
  const [, digits] = /^\{?(\d+)\}?/.exec(source) ?? [];
  if (digits === undefined)
    problems.push({ place, fault: `expected the number of a value, such as "{0}", found "${source}"` });
  else if (Number(digits) >= count)
    problems.push({ place, fault: outOfRange(source, Number(digits), count) });
  return Number(digits ?? 0);
}

/** A group that is given by its name can't be found without a domain, which Keystone notices at login. */
function checkGroupDomains(item: LocalItem, { place, problems }: Context): void {
  const fault = "lacks the id or the name of a domain";
  if (item.group !== undefined && "domain" in item.group && isEmpty(item.group.domain))
    problems.push({ place: `${place}.group.domain`, fault });
  if (item.groups !== undefined && isEmpty(item.domain) && !canBringDomains(item.groups))
    problems.push({ place, fault: `${fault} for "groups"` });
}

const isEmpty = (domain: DomainReference | undefined): boolean =>
  domain === undefined || (domain.id === undefined && domain.name === undefined);

/** Groups can bring their domains along: each as `JSON:{"name": ..., "domain": ...}`, alone or in a list. */
function canBringDomains(groups: string): boolean {
  const start = /^(?:\{\{|\}\}|[^{}])*/.exec(groups.replace(/^[ \t]+/, ""))?.[0] ?? "";
  return start === "" || start.startsWith("[") || start.startsWith("JSON:") || "JSON:".startsWith(start);
}
