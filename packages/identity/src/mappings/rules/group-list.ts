/** The groups of an attribute: names or ids, one or a list, or JSON that brings domains along. */
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../platform/text/json-depth.js";
import { MappingFailure } from "./mapping-failure.js";
import { fieldsOf, fieldTexts } from "../python/format.js";
import { parseList, type Literal } from "../python/literal.js";
import { spend } from "../python/step-budget.js";
import { isRecord, type DomainReference } from "./rule-schema.js";
import {
  compileText,
  fillText,
  type DirectMaps,
  type Filling,
  type TextContext,
  type TextTemplate,
} from "./text-template.js";
import { groupJson, isLetThrough, type Screen } from "./value-reading.js";

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

/** `groups` or `group_ids` of an entry, ready to be filled. */
export interface ListTemplate {
  readonly text: TextTemplate;
  /** The whitelists and blacklists of the values that it fills in. They apply to what is read from these values too. */
  readonly screens: readonly Screen[];
  /** Whether it fills in any values. */
  readonly takesValues: boolean;
  /**
   * The list, or the JSON of a group, that the template itself is, with marks where values go: no value changes its structure.
   * `undefined` where values bring the structure along.
   */
  readonly own: OwnMembers | undefined;
}

interface OwnMembers {
  readonly members: readonly Literal[];
  /** Whether the template is a list; else it is the JSON of a group, or fills in nothing. */
  readonly isList: boolean;
}

/** A template for a list, ready to be filled. Faults are added to `problems`. */
export function compileList(
  source: string,
  context: TextContext & { readonly screens: readonly (Screen | undefined)[] },
): ListTemplate {
  const text = compileText(source, context);
  const fields = new Set(fieldsOf(text.template).map(({ index }) => index));
  const screens = [...fields].flatMap((index) => context.screens[index] ?? []);
  return { text, screens, takesValues: fields.size > 0, own: ownMembers(text) };
}

/** Private-use characters around the number of a field. */
const MARK = /\uE000(\d+)\uE001/g;

function ownMembers({ template: { source, parts } }: TextTemplate): OwnMembers | undefined {
  if (/[\uE000\uE001]/.test(source)) return undefined;
  let fields = 0;
  const marked = parts.map((part) => (typeof part === "string" ? part : `\uE000${fields++}\uE001`)).join("");
  const list = parseList(marked);
  if (list !== undefined) return { members: list, isList: true };
  const isOwn = fields === 0 || (marked.startsWith("JSON:") && groupJson(marked) !== undefined);
  return isOwn ? { members: [marked], isList: false } : undefined;
}

/** Puts values where the marks are. */
function withoutMarks(literal: Literal, texts: readonly string[]): Literal {
  if (typeof literal === "string")
    return literal.replaceAll(MARK, (_, number: string) => texts[Number(number)] ?? "");
  if (Array.isArray(literal)) return literal.map((member: Literal) => withoutMarks(member, texts));
  if (!isRecord(literal)) return literal;
  return Object.fromEntries(
    Object.entries(literal).map(([name, member]) => [name, withoutMarks(member, texts)]),
  );
}

/** Whether the assertion chooses the domains of groups that bring theirs along. */
export function choosesDomains({ takesValues, own }: ListTemplate): boolean {
  if (own === undefined) return takesValues;
  return own.members.some((member) => {
    const group = typeof member === "string" && member.startsWith("JSON:") ? groupJson(member) : undefined;
    return isRecord(group) && hasMarkedDomain(group);
  });
}

function hasMarkedDomain(group: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(group["domain"] ?? null).includes("\uE000");
}

/** A list as the values of an assertion make it. */
interface FilledList {
  readonly members: readonly Literal[];
  readonly mentionsName: boolean;
  /** Whether the members were read from the text of a value, so that its condition has not seen each of them. */
  readonly isRead: boolean;
  /** What the marks in members stand for; `undefined` where they have none. */
  readonly texts: readonly string[] | undefined;
}

/** What is filled in: the list itself where the template is nothing but its number, without a detour over a text. */
function fillList({ text, own }: ListTemplate, values: DirectMaps, filling: Filling): FilledList {
  const { lone } = text.template;
  const value = lone === undefined ? undefined : values[lone];
  if (filling.filled === undefined && typeof value === "object") {
    spend(filling.budget, value.length * COST_OF_MEMBER);
    return { members: value, mentionsName: value.some(mentionsName), isRead: false, texts: undefined };
  }
  const filled = fillText(text, values, filling);
  const read = typeof value === "object" ? value : parseList(filled);
  // A value may keep the template from being read; how it is read, no value changes.
  const isOwn = own?.isList === (read !== undefined);
  const members = isOwn ? own.members : (read ?? [filled]);
  spend(filling.budget, members.length * COST_OF_MEMBER);
  return {
    members,
    mentionsName: filled.includes("name"),
    isRead: !isOwn && typeof value !== "object" && read !== undefined,
    texts: isOwn ? fieldTexts(text.template, values, filling.budget) : undefined,
  };
}

/** Whether Python writes the text with "name" in it: a newline becomes \n there. */
const mentionsName = (value: string): boolean => value.includes("name") || value.includes("\name");

/** What reading a list needs. */
export interface ListContext {
  readonly values: DirectMaps;
  readonly filling: Filling;
  /** Is told of what is read and left aside because of a whitelist or a blacklist. */
  readonly ignored: ((place: string, reason: string) => void) | undefined;
}

/**
 * The groups of a `groups` entry. As in Keystone, "name" anywhere in the text means that the groups may be JSON, which brings
 * domains along. Other than in Keystone they count only where the entry has no domain of its own, and whitelists and blacklists
 * apply to the names.
 *
 * @throws {MappingFailure} A domain is missing, or JSON is none.
 */
export function readGroups(
  list: ListTemplate,
  domain: DomainReference | undefined,
  context: ListContext,
): readonly MappedGroup[] {
  const { place } = list.text;
  const filled = fillList(list, context.values, context.filling);
  const restored = (literal: Literal) =>
    filled.texts === undefined ? literal : withoutMarks(literal, filled.texts);
  if (filled.mentionsName)
    return filled.members.flatMap((member): MappedGroup[] => {
      const group = readOwnGroup(member, place);
      if (!isRecord(group))
        return filled.isRead && !isLetThrough([group], screenContext(list, context)) ? [] : [restored(group)];
      // The name that JSON brings along no list has seen; nor has a blacklist seen the JSON, where that was in a list.
      const isOwn = filled.texts !== undefined;
      if (!isOwn && !isLetThrough([group["name"], member], screenContext(list, context))) return [];
      const isBound = !isDomainless(domain) && !(isOwn && !hasMarkedDomain(group));
      const whole = restored(group) as { readonly [name: string]: Literal };
      return [isBound ? { ...whole, name: whole["name"] ?? null, domain } : whole];
    });
  if (domain === undefined)
    throw new MappingFailure(
      "group-without-domain",
      `"groups" and "domain" belong together: "domain" is missing beside it`,
      place,
    );
  return membersOf(list, filled, context).map((member) => ({ name: restored(member), domain }));
}

/**
 * The ids of a `group_ids` entry.
 *
 * @throws {MappingFailure} A member is neither a text nor a number.
 */
export function readIds(list: ListTemplate, context: ListContext): readonly Literal[] {
  const filled = fillList(list, context.values, context.filling);
  return membersOf(list, filled, context).map((member) =>
    filled.texts === undefined ? member : withoutMarks(member, filled.texts),
  );
}

/** Whether no domain is named at all. */
export function isDomainless(domain: DomainReference | null | undefined): domain is undefined | null {
  return domain?.id === undefined && domain?.name === undefined;
}

function membersOf(list: ListTemplate, filled: FilledList, context: ListContext): readonly Literal[] {
  if (!filled.isRead) return filled.members;
  return filled.members.filter((member) => isLetThrough([member], screenContext(list, context)));
}

const screenContext = ({ screens, text }: ListTemplate, { filling, ignored }: ListContext) => ({
  screens,
  place: text.place,
  budget: filling.budget,
  ignored,
});

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

/** @throws {MappingFailure} It is no JSON. */
function parseJson(text: string, place: string): Literal {
  if (isNestedTooDeep(text))
    throw new MappingFailure(
      "malformed-group",
      `the JSON of a group is nested deeper than ${MAX_JSON_DEPTH} levels`,
      place,
    );
  const group = groupJson(text);
  if (group === undefined) throw new MappingFailure("malformed-group", "the JSON of a group is none", place);
  return group as Literal;
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
