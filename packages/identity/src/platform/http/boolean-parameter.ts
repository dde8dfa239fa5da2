/** Yes or no behind the question mark: `?enabled=false`, or just `?enabled`. */
import { Type } from "typebox";

/** The words that Keystone takes, in the order in which it tells them to who uses another one. */
const WORDS = [
  ...[true, "True", "TRUE", "true", false, "False", "FALSE", "false", "", "1", "0"],
  ...["y", "Y", "n", "N", "on", "ON", "off", "OFF", "yes", "no"],
];

const MEANING_NO = /^(?:0|n|no|off|false)$/i;

/** The schema of such a parameter. */
export const BooleanParameter = Type.Unsafe<string>({ type: "string", enum: WORDS });

/** @returns `undefined` for a parameter that is not there. One without a value means yes. */
export function readBoolean(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : !MEANING_NO.test(value);
}
