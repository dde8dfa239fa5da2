/** Filters of lists: `?name=x`, `?name__contains=x`, and the like. */
import { allValues, type Query } from "../query.js";

const COMPARATORS = ["contains", "startswith", "endswith"] as const;

/** How a field is compared to the value. */
export type Comparator = "equals" | (typeof COMPARATORS)[number];

/** A condition in a request. */
export interface ListFilter<Field extends string = string> {
  readonly field: Field;
  readonly comparator: Comparator;
  /** Whether A to Z equal a to z; other letters are case-sensitive. */
  readonly ignoresCase: boolean;
  readonly value: string;
}

/**
 * The filters among the parameters of a list; an item has to pass all of them. Other parameters and fields are ignored, as in
 * Keystone, whose clients send such.
 */
export function readFilters<Field extends string>(
  query: Query,
  fields: readonly Field[],
): ListFilter<Field>[] {
  return Object.keys(query).flatMap((parameter) => {
    const [name = "", suffix, ...others] = parameter.split("__");
    const field = fields.find((known) => known === name);
    const how = others.length === 0 ? comparison(suffix) : undefined;
    if (field === undefined || how === undefined) return [];
    const { comparator, ignoresCase } = how;
    return allValues(query, parameter).map((value) => ({ field, comparator, ignoresCase, value }));
  });
}

/** @param suffix What follows the field's name. */
function comparison(suffix: string | undefined): Pick<ListFilter, "comparator" | "ignoresCase"> | undefined {
  if (suffix === undefined) return { comparator: "equals", ignoresCase: false };
  const comparator = COMPARATORS.find((name) => suffix === name || suffix === `i${name}`);
  return comparator === undefined ? undefined : { comparator, ignoresCase: suffix !== comparator };
}

/** The pattern of SQL's LIKE for a comparison, in which `!` escapes. */
export function likePattern(comparator: Exclude<Comparator, "equals">, value: string): string {
  const text = value.replaceAll(/[!%_]/g, "!$&");
  return { contains: `%${text}%`, startswith: `${text}%`, endswith: `%${text}` }[comparator];
}

/** Whether a value passes, for lists that do not come from a query. */
export function passesFilter({ comparator, ignoresCase, value }: ListFilter, text: string): boolean {
  const [wanted, given] = ignoresCase ? [lower(value), lower(text)] : [value, text];
  return COMPARISONS[comparator](given, wanted);
}

const COMPARISONS: Readonly<Record<Comparator, (given: string, wanted: string) => boolean>> = {
  equals: (given, wanted) => given === wanted,
  contains: (given, wanted) => given.includes(wanted),
  startswith: (given, wanted) => given.startsWith(wanted),
  endswith: (given, wanted) => given.endsWith(wanted),
};

/** A to Z only, as in both databases. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
