/** The groups of an attribute: names or ids, one or a list, or JSON that brings domains along. */
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../platform/json-depth.js";
import { MappingFailure } from "./mapping-failure.js";
import { fillText, type DirectMaps, type Filling, type TextTemplate } from "./local-template.js";
import { parseList, type Literal } from "./python/literal.js";
import { spend } from "./python/step-budget.js";
import { isRecord, type DomainReference } from "./rule-schema.js";

/** A group as it can be looked up. */
export interface GroupReference {
  readonly name: string;
  /** By the id, if there are both. */
  readonly domain: DomainReference;
}

/** A member of `group_names`: a group by its name, or whatever JSON an attribute brought along. */
export type MappedGroup = Literal | { readonly name: Literal; readonly domain: DomainReference };

/**
 * What a member of `group_names` refers to, or `undefined` if there can be no such group: an attribute may say anything.
 *
 * @example
 * readGroupReference({ name: "devs", domain: { id: "default" } })?.name; // => "devs"
 * readGroupReference("devs"); // => undefined
 */
export function readGroupReference(member: MappedGroup): GroupReference | undefined {
  if (!isRecord(member)) return undefined;
  const { name, domain } = member;
  if (typeof name !== "string" || !isRecord(domain)) return undefined;
  const id = domain["id"];
  if (typeof id === "string" && id !== "") return { name, domain: { id } };
  return typeof domain["name"] === "string" ? { name, domain: { name: domain["name"] } } : undefined;
}

/** What a group costs in steps. */
export const COST_OF_MEMBER = 4;

/** What is filled in: the list itself where the template is nothing but its number, without a detour over a text. */
export function fillList(
  text: TextTemplate,
  values: DirectMaps,
  filling: Filling,
): { readonly members: readonly Literal[]; readonly mentionsName: boolean } {
  const { lone } = text.template;
  const value = lone === undefined ? undefined : values[lone];
  if (filling.filled === undefined && typeof value === "object") {
    spend(filling.budget, value.length * COST_OF_MEMBER);
    return { members: value, mentionsName: value.some(mentionsName) };
  }
  const filled = fillText(text, values, filling);
  const members = parseList(filled) ?? [filled];
  spend(filling.budget, members.length * COST_OF_MEMBER);
  return { members, mentionsName: filled.includes("name") };
}

/** Whether Python writes the text with "name" in it: a newline becomes \n there. */
const mentionsName = (value: string): boolean => value.includes("name") || value.includes("\name");

/**
 * The groups of a `groups` entry. As in Keystone, "name" anywhere in the text means that the groups bring their own
 * domains, and that the entry's domain counts for nothing.
 *
 * @throws {MappingFailure} A domain is missing, or JSON is none.
 */
export function readGroups(
  {
    members,
    mentionsName: haveNames,
  }: { readonly members: readonly Literal[]; readonly mentionsName: boolean },
  { domain, place }: { readonly domain: DomainReference | undefined; readonly place: string },
): readonly MappedGroup[] {
  if (haveNames) return members.map((member) => readOwnGroup(member, place));
  if (domain === undefined)
    throw new MappingFailure(
      "group-without-domain",
      `"groups" and "domain" belong together: "domain" is missing beside it`,
      place,
    );
  return members.map((name) => ({ name, domain }));
}

function readOwnGroup(member: Literal, place: string): Literal {
  if (typeof member !== "string")
    throw new MappingFailure("malformed-group", "a group is neither a text nor JSON", place);
  const group = member.startsWith("JSON:") ? parseJson(member, place) : member;
  if (typeof group === "number" || typeof group === "boolean" || group === null)
    throw new MappingFailure("malformed-group", "the JSON of a group is no object", place);
  const hasDomain = typeof group === "string" ? group.includes("domain") : hasMember(group, "domain");
  if (!hasDomain)
    throw new MappingFailure(
      "group-without-domain",
      `a group with "name" in it has to bring its domain, as JSON:{"name": ..., "domain": ...}`,
      place,
    );
  return group;
}

const hasMember = (group: object, name: string): boolean =>
  Array.isArray(group) ? group.includes(name) : Object.hasOwn(group, name);

/** Keystone takes all of these letters off the start, in any order. */
function parseJson(text: string, place: string): Literal {
  if (isNestedTooDeep(text))
    throw new MappingFailure(
      "malformed-group",
      `the JSON of a group is nested deeper than ${MAX_JSON_DEPTH} levels`,
      place,
    );
  try {
    return JSON.parse(text.replace(/^[JSON:]+/, "")) as Literal;
  } catch (cause) {
    throw new MappingFailure(
      "malformed-group",
      `the JSON of a group is none: ${(cause as Error).message}`,
      place,
    );
  }
}

/** Adds what is not there yet. To Python, 1 and true are the same, and a list or an object can't be told apart at all. */
export function addIds(ids: Map<string, Literal>, members: readonly Literal[], place: string): void {
  for (const member of members) {
    if (typeof member === "object" && member !== null)
      throw new MappingFailure("malformed-group", "an id of a group is neither a text nor a number", place);
    const key =
      typeof member === "string" ? `text ${member}` : member === null ? "null" : `${Number(member)}`;
    if (!ids.has(key)) ids.set(key, member);
  }
}
