/** Filters of lists: `?name=x`, `?name__contains=x`, and the like. */
import { sql, type Expression, type SqlBool } from "kysely";

import { allValues, type Query } from "../query.js";

const COMPARATORS = ["contains", "startswith", "endswith"] as const;

/** How a field is compared to the value. */
export type Comparator = "equals" | (typeof COMPARATORS)[number];

/** A condition that a client asks for. */
export interface ListFilter<Field extends string = string> {
  readonly field: Field;
  readonly comparator: Comparator;
  /** Whether A to Z are the same as a to z. Other letters are compared as they are. */
  readonly ignoresCase: boolean;
  readonly value: string;
}

/**
 * The filters among the parameters of a list, all of which have to hold. What is none, or asks for another field, is left out:
 * Keystone's clients send such.
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

/** What stands behind the field's name. */
function comparison(suffix: string | undefined): Pick<ListFilter, "comparator" | "ignoresCase"> | undefined {
  if (suffix === undefined) return { comparator: "equals", ignoresCase: false };
  const comparator = COMPARATORS.find((name) => suffix === name || suffix === `i${name}`);
  return comparator === undefined ? undefined : { comparator, ignoresCase: suffix !== comparator };
}

/** The filter as a condition of SQL on the column of its field. */
export function filterCondition(
  { comparator, ignoresCase, value }: ListFilter,
  column: Expression<string | null>,
): Expression<SqlBool> {
  if (comparator === "equals") return sql<SqlBool>`${column} = ${value}`;
  const pattern = patternOf(comparator, value.replaceAll(/[!%_]/g, "!$&"));
  return ignoresCase
    ? sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '!'`
    : sql<SqlBool>`${column} like ${pattern} escape '!'`;
}

function patternOf(comparator: Exclude<Comparator, "equals">, text: string): string {
  return { contains: `%${text}%`, startswith: `${text}%`, endswith: `%${text}` }[comparator];
}

/** Whether a value passes, for lists that are not in a table. */
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

/** As both databases do it: A to Z alone. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
