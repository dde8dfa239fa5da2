/** Query strings, and their boolean parameters: `?enabled=false`, or just `?enabled`. */
import { parse } from "node:querystring";

import { Type } from "typebox";

import { PAGE_PARAMETERS, queryOf } from "./validation/schema-parts.js";

const ALL = Symbol("all values");

/** Parameters by name: the first value of repeated ones; {@link allValues} returns all. */
export type Query = Readonly<Record<string, string>> & {
  readonly [ALL]?: Readonly<Record<string, readonly string[]>>;
};

export function parseQuery(text: string): Query {
  const query = Object.create(null) as Record<string, string>;
  if (text === "") return query;
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

const TRUE = ["True", "TRUE", "true"];
const FALSE = ["False", "FALSE", "false"];
const SHORT = ["", "1", "0", "y", "Y", "n", "N", "on", "ON", "off", "OFF", "yes", "no"];

/** The values that Keystone accepts, in the order of its error message. */
const WORDS = [true, ...TRUE, false, ...FALSE, ...SHORT];

const MEANING_NO = /^(?:0|n|no|off|false)$/i;

/** The schema of such a parameter. */
export const BooleanParameter = Type.Unsafe<string>({ type: "string", enum: WORDS });

/** @returns `undefined` for a missing parameter. One without a value is true. */
export function readBoolean(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : !MEANING_NO.test(value);
}

/** The query of lists that are filtered by `id` and `enabled`. */
export const EnabledQuery = Type.Object({
  ...queryOf("id", ...PAGE_PARAMETERS).properties,
  enabled: Type.Optional(BooleanParameter),
});

/** All values of `enabled`. */
export function readEnabled(query: Query): boolean[] {
  return allValues(query, "enabled")
    .map(readBoolean)
    .filter((value) => value !== undefined);
}
