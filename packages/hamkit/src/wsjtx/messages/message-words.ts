/** The words of message texts: calls, locators, reports; and the stations that they name. */
import { isFullCall } from "../../callsign/form.js";
import type { StationMember } from "./message.js";

/** A call as 28 bits hold it: /P and /R are flags of the message. 3DA0 and 3X are folded into its form. */
const STANDARD_CALL =
  /^(?:(?:[A-Z]{1,2}|[A-Z][0-9]|[0-9][A-Z])[0-9][A-Z]{1,3}|3DA0[A-Z]{1,3}|3X[A-Z][0-9][A-Z]{1,3})$/;

/** The characters and the length that type 4 can send. */
const NONSTANDARD_CALL = /^[A-Z0-9/]{3,11}$/;

const GRID4 = /^[A-R]{2}[0-9]{2}$/;
const GRID6 = /^[A-R]{2}[0-9]{2}[A-X]{2}$/;

/** A station in a text. */
export interface NamedStation {
  /** Without brackets; `undefined` for a hash that wasn't resolved. */
  readonly call: string | undefined;
  /** The call was in angle brackets. */
  readonly hashed: boolean;
  /** How the call is sent: as 28 bits, as 28 bits and a flag, or in another way. */
  readonly form: "standard" | "rover" | "portable" | "nonstandard" | "hash";
}

/** The station that a word names; `undefined` if it names none. */
export function stationOf(word: string): NamedStation | undefined {
  if (word.startsWith("<")) return hashedStation(word);
  if (STANDARD_CALL.test(word)) return { call: word, hashed: false, form: "standard" };
  if (word.endsWith("/R") && STANDARD_CALL.test(word.slice(0, -2)))
    return { call: word, hashed: false, form: "rover" };
  if (word.endsWith("/P") && STANDARD_CALL.test(word.slice(0, -2)))
    return { call: word, hashed: false, form: "portable" };
  return isNonstandardCall(word) ? { call: word, hashed: false, form: "nonstandard" } : undefined;
}

function hashedStation(word: string): NamedStation | undefined {
  if (word === "<...>") return { call: undefined, hashed: true, form: "hash" };
  const [, call = ""] = /^<([^<>]+)>$/.exec(word) ?? [];
  return NONSTANDARD_CALL.test(call) && /[A-Z]/.test(call) && /[0-9]/.test(call)
    ? { call, hashed: true, form: "hash" }
    : undefined;
}

/** A compound call, or one with a long suffix: YW18FIFA, PJ4/K1ABC. Locators and hexadecimal numbers are none. */
function isNonstandardCall(word: string): boolean {
  if (!NONSTANDARD_CALL.test(word) || isGrid(word) || GRID6.test(word)) return false;
  const parts = word.split("/");
  return (
    !parts.includes("") && parts.length <= 3 && parts.some((part) => isFullCall(part) && /[A-Z]$/.test(part))
  );
}

/** A locator of four characters; never RR73, which is a word of its own. */
export function isGrid(word: string): boolean {
  return word !== "RR73" && GRID4.test(word);
}

export function isGrid6(word: string): boolean {
  return GRID6.test(word);
}

/** A report in dB of -50 to +50, as two digits with a sign; `undefined` for another word. */
export function reportOf(word: string): number | undefined {
  if (!/^[+-][0-9]{2}$/.test(word)) return undefined;
  const report = Number(word);
  return Math.abs(report) <= 50 ? report + 0 : undefined;
}

type StationMembers = { readonly [Name in StationMember]?: string } & {
  readonly hashed?: readonly StationMember[];
};

/** The calls by the member's name, and the names of those that were sent as a hash. */
export function membersOf(stations: { readonly [Name in StationMember]?: NamedStation }): StationMembers {
  const members: { [Name in StationMember]?: string } & { hashed?: StationMember[] } = {};
  const hashed: StationMember[] = [];
  for (const [name, { call, hashed: isHashed }] of Object.entries(stations) as [
    StationMember,
    NamedStation,
  ][]) {
    if (call !== undefined) members[name] = call;
    if (isHashed) hashed.push(name);
  }
  if (hashed.length > 0) members.hashed = hashed;
  return members;
}

/**
 * The type of a message with one call or two: 1 and 2 have room for a locator, a report or a word of a CQ; 4 sends one call in
 * full, and nothing of these.
 *
 * @param carries Whether the message has what type 4 has no room for.
 * @returns Nothing where no type or more than one can carry them.
 */
export function typeOf(
  stations: readonly NamedStation[],
  carries: boolean,
): { readonly type: string } | undefined {
  const forms = new Set(stations.map(({ form }) => form));
  if (forms.has("nonstandard")) return carries ? undefined : { type: "4" };
  const isPortable = forms.has("portable");
  if (isPortable) return forms.has("rover") ? undefined : { type: "2" };
  // A standard call beside a hash is also sent by type 4.
  if (forms.has("hash") && !carries) return undefined;
  return { type: "1" };
}
