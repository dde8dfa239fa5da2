/** Parses query strings. */
import { parse } from "node:querystring";

const ALL = Symbol("all values");

/** Parameters by name: the first value of repeated ones; {@link allValues} returns all. */
export type Query = Readonly<Record<string, string>> & {
  readonly [ALL]?: Readonly<Record<string, readonly string[]>>;
};

export function parseQuery(text: string): Query {
  const query = Object.create(null) as Record<string, string>;
  const all = Object.create(null) as Record<string, readonly string[]>;
  for (const [name, value = ""] of Object.entries(parse(text))) {
    const values = [value].flat();
    query[name] = values[0] ?? "";
    if (values.length > 1) all[name] = values;
  }
  return Object.defineProperty(query, ALL, { value: all });
}

/** All values of a parameter, in their order. */
export function allValues(query: Query, name: string): readonly string[] {
  const single = query[name];
  return query[ALL]?.[name] ?? (single === undefined ? [] : [single]);
}
