/** Whether a resource matches a filter, by the types and the case rules of its schema. */
import { foldedName } from "../../users/federated/provisioned-user-store.js";
import { ScimFilterError } from "../scim-errors.js";
import {
  findAttribute,
  schemaPartOf,
  resolveTarget,
  type ScimAttribute,
  type ScimObject,
  type ScimResourceType,
} from "../schema/scim-attribute.js";
import type { CompareOperator, Filter, FilterValue } from "./filter-parser.js";

/** What a path of a filter refers to. */
interface Found {
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | undefined;
  /** The values of the attribute. */
  readonly elements: readonly unknown[];
}

type Find = (path: string) => Found;

/** @throws {ScimFilterError} The filter names an unknown attribute. */
export function matchesFilter(filter: Filter, resource: ScimObject, type: ScimResourceType): boolean {
  return evaluate(filter, (path) => {
    const target = resolveTarget(type, path);
    if (target?.attribute === undefined) throw unknown(path);
    const { attribute, sub } = target;
    return { attribute, sub, elements: listOfValues(schemaPartOf(resource, target)[attribute.name]) };
  });
}

/** Whether one value of a multi-valued attribute matches the filter between brackets. */
export function matchesElement(filter: Filter, element: unknown, attribute: ScimAttribute): boolean {
  return evaluate(filter, (path) => {
    const sub = findAttribute(attribute.subAttributes, path.slice(path.lastIndexOf(":") + 1));
    if (sub === undefined) throw unknown(path);
    return { attribute, sub, elements: [element] };
  });
}

function unknown(path: string): ScimFilterError {
  return new ScimFilterError(`The filter names the unknown attribute "${path.slice(0, 100)}".`);
}

/** The values to compare, and their type. A complex attribute without a sub-attribute means its `value`. */
function leavesOf({ attribute, sub, elements }: Found) {
  const inside = sub ?? findAttribute(attribute.subAttributes, "value");
  if (inside === undefined) return { attribute, values: elements };
  const values = elements.map((element) =>
    typeof element === "object" && element !== null ? (element as ScimObject)[inside.name] : undefined,
  );
  return { attribute: inside, values: values.filter((value) => value !== undefined) };
}

/** Each term is evaluated, so that an unknown attribute is reported for every resource. */
function evaluate(filter: Filter, find: Find): boolean {
  if (filter.kind === "and") return filter.filters.map((each) => evaluate(each, find)).every(Boolean);
  if (filter.kind === "or") return filter.filters.map((each) => evaluate(each, find)).some(Boolean);
  if (filter.kind === "not") return !evaluate(filter.filter, find);
  const found = find(filter.path);
  if (filter.kind === "match") return matchesSome(filter, found);
  const { attribute, values } = leavesOf(found);
  if (filter.kind === "present") return values.some((value) => value !== "" && value !== null);
  const { operator, value: wanted } = filter;
  if (wanted === null) return (values.length === 0) === (operator === "eq");
  if (operator === "ne") return values.every((value) => !compare("eq", value, wanted, attribute));
  return values.some((value) => compare(operator, value, wanted, attribute));
}

function matchesSome(
  { path, filter }: Extract<Filter, { readonly kind: "match" }>,
  { attribute, sub, elements }: Found,
): boolean {
  if (attribute.subAttributes === undefined || sub !== undefined)
    throw new ScimFilterError(`"${path.slice(0, 100)}" takes no filter in brackets.`);
  // Also where there is no element: unknown attributes are reported for every resource.
  const given = elements.length === 0 ? [{}] : elements;
  const isMatched = given.map((element) => matchesElement(filter, element, attribute)).some(Boolean);
  return isMatched && elements.length > 0;
}

function compare(
  operator: CompareOperator,
  found: unknown,
  wanted: NonNullable<FilterValue>,
  { type, isCaseExact }: ScimAttribute,
): boolean {
  if (type === "boolean") return operator === "eq" && String(found) === String(wanted).toLowerCase();
  const [one, other] = [found, wanted].map((value) => {
    if (type === "dateTime") return timeOf(String(value));
    return isCaseExact === true ? String(value) : foldedName(String(value));
  }) as [string, string];
  return COMPARISONS[operator](one, other);
}

const COMPARISONS: Readonly<Record<CompareOperator, (one: string, other: string) => boolean>> = {
  eq: (one, other) => one === other,
  ne: (one, other) => one !== other,
  co: (one, other) => one.includes(other),
  sw: (one, other) => one.startsWith(other),
  ew: (one, other) => one.endsWith(other),
  gt: (one, other) => one > other,
  ge: (one, other) => one >= other,
  lt: (one, other) => one < other,
  le: (one, other) => one <= other,
};

/** In UTC, so that times compare as texts. */
function timeOf(text: string): string {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? text : new Date(moment).toISOString();
}

export function listOfValues(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
