/** What rules can give: every group, project role and local user, and what an assertion has to have for it. */
import { attributesFilling, type Condition } from "../rules/condition.js";
import type { Mapping } from "../rules/compile-mapping.js";
import { show, type LocalItem, type RuleDomain } from "../rules/rule-schema.js";
import { STEP_BUDGET } from "../rules/evaluate-mapping.js";
import { isDomainless } from "../rules/group-list.js";
import { takesValues } from "../rules/text-template.js";
import { parseList } from "../../platform/text/python-literal.js";
import { StepBudgetError } from "../python/step-budget.js";

/** A group, project or user that a rule names, or leaves to the assertion. */
export type GrantedItem =
  | { readonly kind: "group"; readonly id: string }
  | { readonly kind: "group"; readonly name: string; readonly domain: RuleDomain }
  /** Any group whose name or id the assertion has, or of this name in any domain; in the domain, if there is one. */
  | {
      readonly kind: "chosen-groups";
      readonly by: "name" | "id";
      readonly name?: string;
      readonly domain: RuleDomain | undefined;
    }
  | {
      readonly kind: "project";
      readonly name: string;
      readonly domain: RuleDomain | undefined;
      readonly roles: readonly string[];
    }
  /** Any role in any project, as JSON in the assertion; in the domain, if there is one. */
  | { readonly kind: "chosen-projects"; readonly domain: RuleDomain | undefined }
  /** An existing user. `isChosen` where id, name or the name's domain come from the assertion. */
  | {
      readonly kind: "local-user";
      readonly id: string | undefined;
      readonly name: string | undefined;
      readonly domain: RuleDomain | undefined;
      readonly isChosen: boolean;
    };

export interface RuleGrant {
  /** The number of the rule, from 0. */
  readonly rule: number;
  /** Where, such as `rules[0].local[1].group`. */
  readonly place: string;
  readonly item: GrantedItem;
  /** The conditions of the rule in words, and what chooses the item: what an administrator of the provider would have to set. */
  readonly requires: readonly string[];
  /** The attributes concerned, without those that only have to be absent from a list. */
  readonly attributes: readonly string[];
  /**
   * The words for one of the chosen items by its name or id; `undefined` if the assertion can't choose that one.
   *
   * @param template What the assertion fills, such as the name of a role; that of the item, if left out.
   */
  readonly choose: (value: string, template?: string) => string | undefined;
}

/** Entries of one mapping. Whitelists make one for each of their values. */
const MAX_GRANTS = 2000;

export interface RuleGrants {
  readonly grants: readonly RuleGrant[];
  /** Whether there are more. */
  readonly isTruncated: boolean;
}

/** Every group, project role and local user that the rules can give, in the order of the rules. */
export function listRuleGrants({ rules, source }: Mapping): RuleGrants {
  const grants: RuleGrant[] = [];
  for (const [rule, { local }] of source.entries()) {
    const conditions = rules[rule]?.conditions ?? [];
    for (const [index, item] of local.entries())
      for (const found of itemsOf(item)) {
        grants.push(...toGrants(found, { rule, place: `rules[${rule}].local[${index}]`, conditions }));
        if (grants.length > MAX_GRANTS) return { grants: grants.slice(0, MAX_GRANTS), isTruncated: true };
      }
  }
  return { grants, isTruncated: false };
}

interface Found {
  readonly member: string;
  readonly item: GrantedItem;
  /** The template that chooses it; `undefined` if nothing does. */
  readonly template: string | undefined;
  /** The template of its domain; `undefined` if the rule names the domain, or none. */
  readonly domainTemplate?: string | undefined;
}

/** The domain that a rule names, or the template by which the assertion chooses one of all. */
interface BoundDomain {
  readonly domain: RuleDomain | undefined;
  readonly domainTemplate: string | undefined;
}

function boundBy(domain: RuleDomain | null | undefined): BoundDomain {
  if (isDomainless(domain)) return { domain: undefined, domainTemplate: undefined };
  const reference = domain.id ?? domain.name;
  return takesValues(reference)
    ? { domain: undefined, domainTemplate: reference }
    : { domain, domainTemplate: undefined };
}

function itemsOf(local: LocalItem): Found[] {
  const { user, group, groups, group_ids, projects = [], projects_json, domain } = local;
  const bound = boundBy(domain);
  return [
    ...(user?.type === "local" ? [localUser(user, user.domain ? boundBy(user.domain) : bound)] : []),
    ...(group === undefined ? [] : [oneGroup(group, bound)]),
    ...(groups === undefined ? [] : manyGroups("groups", groups, bound)),
    ...(group_ids === undefined ? [] : manyGroups("group_ids", group_ids, bound)),
    ...projects.map((project, index): Found => {
      const roles = project.roles.map(({ name }) => name);
      const own = project.domain ? boundBy(project.domain) : bound;
      return {
        member: `projects[${index}]`,
        item: { kind: "project", name: project.name, domain: own.domain, roles },
        template: [project.name, ...roles].filter(takesValues).join(" ") || undefined,
        domainTemplate: own.domainTemplate,
      };
    }),
    ...(projects_json === undefined
      ? []
      : [
          {
            member: "projects_json",
            item: { kind: "chosen-projects", domain: bound.domain } as const,
            template: projects_json.includes("{") ? projects_json : `{${projects_json}}`,
            domainTemplate: bound.domainTemplate,
          },
        ]),
  ];
}

function localUser(
  { id, name }: NonNullable<LocalItem["user"]>,
  { domain, domainTemplate }: BoundDomain,
): Found {
  const template = [id, name].filter(takesValues).join(" ");
  const isInAnyDomain = id === undefined && domainTemplate !== undefined;
  return {
    member: "user",
    item: { kind: "local-user", id, name, domain, isChosen: template !== "" || isInAnyDomain },
    template: template || undefined,
    domainTemplate,
  };
}

function oneGroup(group: NonNullable<LocalItem["group"]>, bound: BoundDomain): Found {
  const member = "group";
  if (!("id" in group)) return namedGroup(member, group.name, boundBy(group.domain));
  return takesValues(group.id)
    ? chosenIds(member, group.id, bound)
    : { member, item: { kind: "group", id: group.id }, template: undefined };
}

const chosenIds = (member: string, template: string, { domain, domainTemplate }: BoundDomain): Found => ({
  member,
  item: { kind: "chosen-groups", by: "id", domain },
  template,
  domainTemplate,
});

function namedGroup(member: string, name: string, bound: BoundDomain): Found {
  const { domain, domainTemplate } = bound;
  return takesValues(name)
    ? { member, item: { kind: "chosen-groups", by: "name", domain }, template: name, domainTemplate }
    : { member, item: groupNamed(name, bound), template: undefined, domainTemplate };
}

/** The group of a name that the assertion doesn't change. */
const groupNamed = (name: string, { domain, domainTemplate }: BoundDomain): GrantedItem =>
  domainTemplate === undefined
    ? { kind: "group", name, domain: domain ?? {} }
    : { kind: "chosen-groups", by: "name", name, domain: undefined };

function manyGroups(member: "groups" | "group_ids", source: string, bound: BoundDomain): Found[] {
  if (takesValues(source))
    return [member === "groups" ? namedGroup(member, source, bound) : chosenIds(member, source, bound)];
  const texts = (parseList(source) ?? [source]).filter((text) => typeof text === "string");
  return texts.map((text) =>
    member === "groups"
      ? namedGroup(member, text, bound)
      : { member, item: { kind: "group", id: text }, template: undefined },
  );
}

interface Context {
  readonly rule: number;
  readonly place: string;
  readonly conditions: readonly Condition[];
}

function toGrants(found: Found, { rule, place, conditions }: Context): RuleGrant[] {
  const { member, item, template, domainTemplate } = found;
  const filling = (source: string | undefined) =>
    source === undefined ? [] : attributesFilling(source, conditions);
  const choosingDomain = filling(domainTemplate);
  const requires = [
    ...(choosingDomain.length === 0 ? [] : [`${choosingDomain.join(" and ")} names the domain`]),
    ...conditions.flatMap(inWords),
  ];
  const selecting = conditions.filter(({ test }) => test !== "not_any_of");
  const attributes = [
    ...new Set([...filling(template), ...choosingDomain, ...selecting.map(({ attribute }) => attribute)]),
  ];
  const choose: RuleGrant["choose"] = (value, source = template) => chooser(source, conditions)(value);
  const grant = { rule, place: `${place}.${member}`, item, requires, attributes, choose };
  const names = item.kind === "chosen-groups" ? onlyValues(template, conditions) : undefined;
  if (item.kind !== "chosen-groups" || names === undefined) return [grant];
  return names.map((name) => {
    const fixed: GrantedItem =
      item.by === "id"
        ? { kind: "group", id: name }
        : groupNamed(name, { domain: item.domain, domainTemplate });
    return Object.assign({}, grant, { item: fixed, requires: [choose(name) ?? "", ...requires] });
  });
}

/** The values that a template can have: it is a value itself, and its condition a whitelist of texts. */
function onlyValues(template = "", conditions: readonly Condition[]): string[] | undefined {
  const [, number] = /^\{(\d+)\}$/.exec(template) ?? [];
  const {
    test,
    isRegex,
    listed = [],
  } = conditions.filter(({ givesValues }) => givesValues)[Number(number ?? -1)] ?? {};
  if (test !== "whitelist" || isRegex === true) return undefined;
  const texts = listed.filter((value) => typeof value === "string");
  // These are read as several groups, or as one with a domain of its own.
  return texts.some((text) => /^(?:JSON:|\[)/.test(text)) ? undefined : texts;
}

/** Values that a list shows. */
const MAX_SHOWN = 5;

/** A condition in words. Presence is only worth a line where the attribute chooses nothing else. */
function inWords({ attribute, test, listed, isRegex }: Condition): string {
  const shown = listed.slice(0, MAX_SHOWN).map(show).join(", ");
  const list = `${isRegex ? "a pattern of " : ""}${shown}${listed.length > MAX_SHOWN ? ", …" : ""}`;
  switch (test) {
    case "any_one_of":
      return isRegex ? `${attribute} matches ${list}` : `${attribute} contains one of ${list}`;
    case "not_any_of":
      return isRegex
        ? `${attribute} matches none of ${shown}`
        : `${attribute} is sent, and contains none of ${shown}`;
    case "whitelist":
      return isRegex
        ? `${attribute} is sent; values count that match ${list}`
        : `${attribute} is sent; of its values count ${list}`;
    case "blacklist":
      return `${attribute} is sent; of its values don't count ${list}`;
    default:
      return `${attribute} is sent`;
  }
}

/** By a template with one attribute; a template with several may make any text. */
function chooser(template: string | undefined, conditions: readonly Condition[]): RuleGrant["choose"] {
  if (template === undefined) return () => undefined;
  const giving = conditions.filter(({ givesValues }) => givesValues);
  const fields = Array.from(template.matchAll(/\{(\d+)[^{}]*\}/g));
  const condition = giving[Number(fields[0]?.[1] ?? -1)];
  const [before = "", after = ""] = template.split(/\{\d+[^{}]*\}/);
  if (fields.length !== 1 || condition === undefined)
    return (value) => `${attributesFilling(template, conditions).join(" and ")} make ${show(value)}`;
  return (value) => {
    if (value.length < before.length + after.length || !value.startsWith(before) || !value.endsWith(after))
      return undefined;
    const needed = value.slice(before.length, value.length - after.length);
    return passesAlone(condition, needed) ? `${condition.attribute} contains ${show(needed)}` : undefined;
  };
}

function passesAlone(condition: Condition, value: string): boolean {
  try {
    return condition.pass([value], { left: STEP_BUDGET })?.includes(value) ?? false;
  } catch (error) {
    if (error instanceof StepBudgetError) return true;
    throw error;
  }
}
