/**
 * Texts that the database can look for where a filter is answered by no index: it finds the few users whose attributes have them, faster than
 * each user is read and compared.
 */
import {
  resolveTarget,
  findAttribute,
  type ScimAttribute,
  type ScimResourceType,
} from "../schema/scim-attribute.js";
import type { Filter } from "./filter-parser.js";

/** Attributes that are not in the stored JSON. */
const ELSEWHERE: ReadonlySet<string> = new Set(["schemas", "id", "externalId", "meta", "userName", "active"]);
/**
 * Characters that JSON stores as they are, and to which no other character is equal when texts are compared, except for the Kelvin sign. The
 * Greek question mark is a semicolon, and the Greek varia a grave accent.
 */
const PLAIN = /^[ !#-:<-[\]-_a-~]+$/;

/** Texts of one filter: others would cost the database more than they save. */
const MAX_TEXTS = 3;

/**
 * Texts, with their quotes, that the JSON of each matching resource has in upper or lower case: values that the filter demands by `eq`, joined by
 * `and`. None for other filters.
 */
export function storedTextsOf(filter: Filter, type: ScimResourceType): string[] {
  const texts = textsOf(filter, (path) => {
    const { attribute, sub } = resolveTarget(type, path) ?? {};
    return attribute !== undefined && !ELSEWHERE.has(attribute.name) ? { attribute, sub } : undefined;
  });
  // Long ones are rare.
  return [...new Set(texts)].toSorted((one, other) => other.length - one.length).slice(0, MAX_TEXTS);
}

interface Found {
  readonly attribute: ScimAttribute;
  readonly sub?: ScimAttribute | undefined;
}

function textsOf(filter: Filter, find: (path: string) => Found | undefined): string[] {
  if (filter.kind === "and") return filter.filters.flatMap((each) => textsOf(each, find));
  if (filter.kind === "match") {
    const found = find(filter.path);
    return found === undefined ? [] : textsOf(filter.filter, (path) => within(found.attribute, path));
  }
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") return [];
  const { attribute, sub } = find(filter.path) ?? {};
  const compared = sub ?? findAttribute(attribute?.subAttributes, "value") ?? attribute;
  const isText = compared?.type === "string" || compared?.type === "reference";
  return isText && PLAIN.test(filter.value) ? [`"${filter.value}"`] : [];
}

function within({ subAttributes }: ScimAttribute, path: string): Found | undefined {
  const attribute = findAttribute(subAttributes, path.slice(path.lastIndexOf(":") + 1));
  return attribute && { attribute };
}
