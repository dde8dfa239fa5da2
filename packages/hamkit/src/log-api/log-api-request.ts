/** Requests to the log service's API: addresses, query parameters and dates. */
import { ValueError } from "../errors.js";
import type { Moment } from "../lookup/source.js";
import type { BatchLine } from "./log-api-response.js";

/** The first moment that the service supports. For an earlier one it answers for today, without an error. */
const FIRST_MOMENT = Date.UTC(1945, 0, 1);
/** The first moment with a year of five digits. */
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** Whether the service supports a moment. */
export function isSupported(at: Moment): boolean {
  return at >= FIRST_MOMENT && at < END_OF_TIME;
}

/** The parameters of a single lookup, to the minute; the client adds the key. */
export function singleParameters(call: string, at: Moment): (apikey: string) => Record<string, string> {
  const [year = "", month = "", day = "", hour = "", minute = ""] = new Date(at).toISOString().split(/[-T:]/);
  return (api) => ({ year, month, day, hour, minute, api, full: "1", call });
}

/** The parameters of a batch lookup. */
export function batchParameters(api: string): Record<string, string> {
  return { api };
}

/** A line of a batch request, to the second. */
export function batchLine(call: string, at: Moment): BatchLine {
  return { C: call, T: new Date(at).toISOString().slice(0, 19).replace("T", " ") };
}

/**
 * An address to which the key may be sent.
 *
 * @throws {ValueError} Its scheme is not http or https, or it has more than server and path.
 */
export function addressOf(argument: string, text: string): URL {
  const address = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (address && isPlain(address)) return address;
  throw new ValueError({
    argument,
    // Without a password that it may contain.
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
