/** Booleans, also by the words that Keystone accepts for them. */
import { Type } from "typebox";

const NO: ReadonlySet<string> = new Set(["False", "FALSE", "false", "0", "n", "N", "off", "OFF", "no"]);

/** In the order in which Keystone tells them. */
const VALUES = [
  true,
  "True",
  "TRUE",
  "true",
  false,
  "False",
  "FALSE",
  "false",
  "",
  "1",
  "0",
  "y",
  "Y",
  "n",
  "N",
  "on",
  "ON",
  "off",
  "OFF",
  "yes",
  "no",
];

/** What may be sent for a boolean. */
export type LooseBoolean = boolean | string;

export const LooseBoolean = Type.Unsafe<LooseBoolean>({ type: ["boolean", "string", "null"], enum: VALUES });

/** The same behind a question mark, where there is only text. */
export const LooseBooleanText = Type.Unsafe<string>(LooseBoolean);

/** What is meant. An empty text is as good as a yes. */
export function readBoolean(value: LooseBoolean): boolean {
  return typeof value === "boolean" ? value : !NO.has(value);
}
