/** Which terms of a filter the database answers by an index: equalities joined by `and`. */
import { resolveTarget, type ScimResourceType } from "../schema/scim-attribute.js";
import type { Filter } from "./filter-parser.js";

/** How the value of an attribute is looked up. */
export interface IndexedAttribute<Column extends string> {
  readonly column: Column;
  readonly keyOf: (value: string) => string;
}

export interface IndexedFilter<Column extends string> {
  readonly matches: readonly { readonly column: Column; readonly value: string }[];
  /** What is left to evaluate. */
  readonly rest: Filter | undefined;
}

/** @param indexed By the path of the attribute, such as `members.value`. */
export function splitFilter<Column extends string>(
  filter: Filter,
  type: ScimResourceType,
  indexed: Readonly<Record<string, IndexedAttribute<Column>>>,
): IndexedFilter<Column> {
  const terms = filter.kind === "and" ? filter.filters : [filter];
  const matches: { column: Column; value: string }[] = [];
  const rest: Filter[] = [];
  for (const term of terms) {
    const equality = equalityOf(term, type);
    const known = equality && Object.hasOwn(indexed, equality.path) ? indexed[equality.path] : undefined;
    if (equality === undefined || known === undefined) rest.push(term);
    else matches.push({ column: known.column, value: known.keyOf(equality.value) });
  }
  const [only] = rest;
  return { matches, rest: rest.length > 1 ? { kind: "and", filters: rest } : only };
}

/** `members[value eq "x"]` is the same as `members.value eq "x"`, and as `members eq "x"`. */
function equalityOf(
  term: Filter,
  type: ScimResourceType,
): { readonly path: string; readonly value: string } | undefined {
  if (term.kind === "match" && term.filter.kind === "compare")
    return equalityOf({ ...term.filter, path: `${term.path}.${term.filter.path}` }, type);
  if (term.kind !== "compare" || term.operator !== "eq" || typeof term.value !== "string") return undefined;
  const { attribute, sub, extension } = resolveTarget(type, term.path) ?? {};
  if (attribute === undefined || extension !== undefined) return undefined;
  const name = sub?.name ?? (attribute.subAttributes === undefined ? undefined : "value");
  return { path: name === undefined ? attribute.name : `${attribute.name}.${name}`, value: term.value };
}
