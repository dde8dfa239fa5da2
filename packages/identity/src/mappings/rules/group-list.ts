/** Compiles and reads `groups` and `group_ids`: names or ids, one or a list, or JSON with domains. */
import { isNestedTooDeep, MAX_JSON_DEPTH } from "../../platform/text/exact-json.js";
import { MappingFailure } from "./mapping-failure.js";
import { fieldsOf, fieldTexts } from "../python/format.js";
import { parseList, type Literal } from "../../platform/text/python-literal.js";
import { spend } from "../python/step-budget.js";
import { isRecord, show, type RuleDomain } from "./rule-schema.js";
import {
  compileText,
  fillText,
  type DirectMaps,
  type Filling,
  type TextContext,
  type TextTemplate,
} from "./text-template.js";
import { groupJson, passesFilters, type ValueFilter } from "./value-reading.js";

export interface GroupReference {
  readonly name: string;
  /** By id if it has both. */
  readonly domain: RuleDomain;
}

/** A member of `group_names`: a group by name, or any JSON from an attribute. */
export type MappedGroup = Literal | { readonly name: Literal; readonly domain: RuleDomain };

/**
 * The group that a member of `group_names` refers to; `undefined` if its JSON is not a group reference.
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

/** The cost of a group, in steps. */
export const COST_OF_MEMBER = 4;

/** The compiled `groups` or `group_ids` of an entry. */
export interface ListTemplate {
  readonly text: TextTemplate;
  /** The whitelists and blacklists of its values. They also apply to what is parsed from the values. */
  readonly filters: readonly ValueFilter[];
  /** Whether it uses any values. */
  readonly takesValues: boolean;
  /**
   * The list, or JSON of a group, that the template itself denotes, with marks for values: no value changes its structure.
   * `undefined` where values determine the structure.
   */
  readonly own: OwnMembers | undefined;
}

interface OwnMembers {
  readonly members: readonly Literal[];
  /** Whether the template is a list; otherwise it is the JSON of a group, or has no fields. */
  readonly isList: boolean;
}

/** Compiles a list template. Faults are added to `problems`. */
export function compileList(
  source: string,
  context: TextContext & { readonly filters: readonly (ValueFilter | undefined)[] },
): ListTemplate {
  const text = compileText(source, context);
  const fields = new Set(fieldsOf(text.template).map(({ index }) => index));
  const filters = [...fields].flatMap((index) => context.filters[index] ?? []);
  return { text, filters, takesValues: fields.size > 0, own: ownMembers(text) };
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

/** Replaces marks by values. */
function withoutMarks(literal: Literal, texts: readonly string[]): Literal {
  if (typeof literal === "string")
    return literal.replaceAll(MARK, (_, number: string) => texts[Number(number)] ?? "");
  if (Array.isArray(literal)) return literal.map((member: Literal) => withoutMarks(member, texts));
  if (!isRecord(literal)) return literal;
  return Object.fromEntries(
    Object.entries(literal).map(([name, member]) => [name, withoutMarks(member, texts)]),
  );
}

/** Whether the assertion chooses the domains of groups that carry their own. */
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

/** A list filled with the values of an assertion. */
interface FilledList {
  readonly members: readonly Literal[];
  readonly mentionsName: boolean;
  /** Whether the members were parsed from a value, so that its condition has not checked each of them. */
  readonly isRead: boolean;
  /** The values of the marks; `undefined` where members have none. */
  readonly texts: readonly string[] | undefined;
}

/** Fills a list template. A bare `{0}` takes the list of values itself, without formatting and parsing it. */
function fillList({ text, own }: ListTemplate, values: DirectMaps, filling: Filling): FilledList {
  const { lone } = text.template;
  const value = lone === undefined ? undefined : values[lone];
  if (filling.filled === undefined && typeof value === "object") {
    spend(filling.budget, value.length * COST_OF_MEMBER);
    return { members: value, mentionsName: value.some(mentionsName), isRead: false, texts: undefined };
  }
  const filled = fillText(text, values, filling);
  const read = typeof value === "object" ? value : parseList(filled);
  // A value may make the template unparsable, but never changes its structure.
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

/** Whether Python's notation of the value contains "name": a newline is written \n. */
const mentionsName = (value: string): boolean => value.includes("name") || value.includes("\name");

export interface ListContext {
  readonly values: DirectMaps;
  readonly filling: Filling;
  /** Called for parsed members that a whitelist or blacklist rejects. */
  readonly ignored: ((place: string, reason: string) => void) | undefined;
}

/**
 * The groups of a `groups` entry. As in Keystone, "name" anywhere in the text means that the groups may be JSON with domains.
 * Unlike in Keystone, these domains count only where the entry has none, and whitelists and blacklists apply to the names.
 *
 * @throws {MappingFailure} A domain is missing, or JSON is invalid.
 */
export function readGroups(
  list: ListTemplate,
  domain: RuleDomain | undefined,
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
        return filled.isRead && !passesFilters([group], filterContext(list, context))
          ? []
          : [restored(group)];
      // The condition has checked neither a name within JSON, nor JSON within a list.
      const isOwn = filled.texts !== undefined;
      if (!isOwn && !passesFilters([group["name"], member], filterContext(list, context))) return [];
      const isBound = !isDomainless(domain) && !(isOwn && !hasMarkedDomain(group));
      const whole = restored(group) as { readonly [name: string]: Literal };
      return [isBound ? { ...whole, name: whole["name"] ?? null, domain } : whole];
    });
  if (domain === undefined)
    throw new MappingFailure("group-without-domain", `"groups" requires a "domain" in the same entry`, place);
  return membersOf(list, filled, context).map((member) => ({ name: restored(member), domain }));
}

/**
 * The ids of a `group_ids` entry.
 *
 * @throws {MappingFailure} A member is neither a string nor a number.
 */
export function readIds(list: ListTemplate, context: ListContext): readonly Literal[] {
  const filled = fillList(list, context.values, context.filling);
  return membersOf(list, filled, context).map((member) =>
    filled.texts === undefined ? member : withoutMarks(member, filled.texts),
  );
}

/** Whether a reference names no domain. */
export function isDomainless(domain: RuleDomain | null | undefined): domain is undefined | null {
  return domain?.id === undefined && domain?.name === undefined;
}

function membersOf(list: ListTemplate, filled: FilledList, context: ListContext): readonly Literal[] {
  if (!filled.isRead) return filled.members;
  return filled.members.filter((member) => passesFilters([member], filterContext(list, context)));
}

const filterContext = ({ filters, text }: ListTemplate, { filling, ignored }: ListContext) => ({
  filters,
  place: text.place,
  budget: filling.budget,
  ignored,
});

function readOwnGroup(member: Literal, place: string): Literal {
  if (typeof member !== "string")
    throw new MappingFailure(
      "malformed-group",
      `expected a group name or JSON, found ${show(member)}`,
      place,
    );
  const group = member.startsWith("JSON:") ? parseJson(member, place) : member;
  if (typeof group === "number" || typeof group === "boolean" || group === null)
    throw new MappingFailure(
      "malformed-group",
      `expected a JSON object for a group, found ${show(group)}`,
      place,
    );
  const hasDomain = typeof group === "string" ? group.includes("domain") : hasMember(group, "domain");
  if (!hasDomain)
    throw new MappingFailure(
      "group-without-domain",
      `group lacks its domain, expected JSON:{"name": ..., "domain": ...}`,
      place,
    );
  return group;
}

const hasMember = (group: object, name: string): boolean =>
  Array.isArray(group) ? group.includes(name) : Object.hasOwn(group, name);

function parseJson(text: string, place: string): Literal {
  if (isNestedTooDeep(text))
    throw new MappingFailure(
      "malformed-group",
      `JSON of a group is nested deeper than ${MAX_JSON_DEPTH} levels`,
      place,
    );
  const group = groupJson(text);
  if (group === undefined) throw new MappingFailure("malformed-group", "invalid JSON of a group", place);
  return group as Literal;
}

/** Adds ids without duplicates. In Python 1 equals true, and lists and objects are not hashable. */
export function addIds(ids: Map<string, Literal>, members: readonly Literal[], place: string): void {
  for (const member of members) {
    if (typeof member === "object" && member !== null)
      throw new MappingFailure(
        "malformed-group",
        `expected a group id (a string or number), found ${show(member)}`,
        place,
      );
    const key =
      typeof member === "string" ? `text ${member}` : member === null ? "null" : `${Number(member)}`;
    if (!ids.has(key)) ids.set(key, member);
  }
}
