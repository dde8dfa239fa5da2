/** How the log service's API is asked: addresses, queries and dates. */
import { ValueError } from "../errors.js";
import type { Moment } from "../lookup/source.js";
import type { BatchLine } from "./log-api-answer.js";

/** The first moment that the service knows. For an earlier one it would tell of today, without saying so. */
const FIRST_MOMENT = Date.UTC(1945, 0, 1);
/** The first moment with a year of five digits. */
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** Whether the service can be asked for this moment. */
export function isAskable(at: Moment): boolean {
  return at >= FIRST_MOMENT && at < END_OF_TIME;
}

/** The query of a single question, to the minute; the key is put in where it is sent. */
export function singleQuery(call: string, at: Moment): (apikey: string) => Record<string, string> {
  const [year = "", month = "", day = "", hour = "", minute = ""] = new Date(at).toISOString().split(/[-T:]/);
  return (api) => ({ year, month, day, hour, minute, api, full: "1", call });
}

/** The query of many questions. */
export function batchQuery(api: string): Record<string, string> {
  return { api };
}

/** One of many questions, to the second. */
export function batchLine(call: string, at: Moment): BatchLine {
  return { C: call, T: new Date(at).toISOString().slice(0, 19).replace("T", " ") };
}

/**
 * An address to which the key may be sent.
 *
 * @throws {ValueError} It is not of http or https, or has more than server and path.
 */
export function addressOf(argument: string, text: string): URL {
  const address = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (address && isPlain(address)) return address;
  throw new ValueError({
    argument,
    // There may be a password in it.
    value: address ? nameOf(address) : text,
    expected: "an http or https address of server and path alone",
  });
}

/** An address in messages. */
export function nameOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}
