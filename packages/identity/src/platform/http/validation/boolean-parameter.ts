/** Boolean query parameters: `?enabled=false`, or just `?enabled`. */
import { Type } from "typebox";

import { allValues, type Query } from "../query.js";
import { PAGE_PARAMETERS, queryOf } from "./schema-parts.js";

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
