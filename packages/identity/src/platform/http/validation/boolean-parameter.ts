/** Yes or no behind the question mark: `?enabled=false`, or just `?enabled`. */
import { Type } from "typebox";

const TRUE = ["True", "TRUE", "true"];
const FALSE = ["False", "FALSE", "false"];
const SHORT = ["", "1", "0", "y", "Y", "n", "N", "on", "ON", "off", "OFF", "yes", "no"];

/** What Keystone takes, in the order in which it tells it to who sends something else. */
const WORDS = [true, ...TRUE, false, ...FALSE, ...SHORT];

const MEANING_NO = /^(?:0|n|no|off|false)$/i;

/** The schema of such a parameter. */
export const BooleanParameter = Type.Unsafe<string>({ type: "string", enum: WORDS });

/** @returns `undefined` for a parameter that is not there. One without a value means yes. */
export function readBoolean(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : !MEANING_NO.test(value);
}
