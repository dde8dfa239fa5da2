/**
 * Why an answer differs from the peer's. Each rule has a section of its name in docs/differences.md.
 *
 * A rule explains a row only where our answer is the one that the rule leads to, so that it excuses nothing else.
 */
import { isFullCall, isShortenedCall } from "../../src/callsign/form.js";
import { identify } from "../../src/lookup/identify.js";
import type { IdentifiedCallsign, TableSource } from "../../src/lookup/source.js";
import type { CallsignRecord } from "../../src/lookup/record.js";

/** One recorded call. `all` is missing where the peer raised an error. */
export interface CallRow {
  readonly call: string;
  readonly kind: string;
  readonly timestamp?: string;
  readonly all?: CallsignRecord;
  /** The peer's home call; missing where it raised an error. */
  readonly home?: string;
}

interface Case {
  /** As recorded, and raised and trimmed, without SSID. */
  readonly raw: string;
  readonly call: string;
  readonly parts: readonly string[];
  readonly theirs: CallsignRecord | undefined;
  readonly ours: CallsignRecord | undefined;
  readonly answer: IdentifiedCallsign | undefined;
  /** What we answer to another text at the same time. */
  readonly about: (text: string) => CallsignRecord | undefined;
}

const RULES: readonly (readonly [name: string, explains: (row: Case) => boolean])[] = [
  [
    "blanks-around-a-call",
    ({ raw, ours, theirs, about }) => !theirs && raw !== raw.trim() && same(ours, about(raw.trim())),
  ],
  ["letters-outside-ascii", ({ raw, ours }) => !ours && /[^\x20-\x7e]/.test(raw)],
  ["empty-parts", ({ call, ours }) => !ours && /^\/|\/\/|\/$/.test(call)],
  ["no-call-in-it", ({ parts, ours }) => !ours && !parts.some(isFullCall)],
  ["more-than-three-places", ({ parts, ours }) => !ours && parts.filter(isFullCall).length > 3],
  [
    "ships-are-in-no-entity",
    ({ parts, ours }) => parts.some((part) => /^(?:VE0|EL0)[A-Z]/.test(part)) && ours?.adif === 999,
  ],
  [
    "mobile-stations",
    ({ parts, ours, theirs }) =>
      (parts.some((part) => /^MM[1-3]?$/.test(part)) &&
        ours?.adif === 999 &&
        (!theirs || theirs.adif === 999 || !parts.includes("MM")) &&
        ours.latitude === undefined) ||
      (parts.includes("AM") &&
        ours?.country === "AIRCRAFT MOBILE" &&
        theirs?.adif === 998 &&
        ours.latitude === undefined),
  ],
  [
    "areas-of-us-territories",
    ({ parts, ours }) =>
      /^[AKNW][HLP][0-9]/.test(parts[0] ?? "") &&
      isArea(["K0A", ...parts.slice(1)], "K") &&
      ours?.adif === 291,
  ],
  [
    "kg4-with-one-or-three-letters",
    ({ parts, ours, theirs }) =>
      /^KG4(?:.|...)$/.test(parts[0] ?? "") && theirs?.adif === 105 && ours?.adif === 291,
  ],
  [
    "entity-codes-of-names",
    ({ ours, theirs }) =>
      same({ ...theirs, adif: 0 }, { ...ours, adif: 0 }) && [259, 273].includes(ours?.adif ?? 0),
  ],
  ["calls-without-form", ({ parts, ours, about }) => parts[0] === "2SZ" && same(ours, about("2SZ"))],
  [
    "beacons-by-their-suffix",
    ({ parts, ours, theirs }) =>
      isBeacon(parts) === (ours?.beacon ?? false) && same(withoutBeacon(ours), withoutBeacon(theirs)),
  ],
  [
    "entry-of-the-station",
    ({ parts, answer }) =>
      answer?.matchedBy === "callsign" && parts.filter((part) => !STAYS.has(part)).join("/") === answer.match,
  ],
  [
    "listed-under-a-shared-prefix",
    ({ parts, ours, answer, about }) =>
      answer?.assumed === true && parts[0] === answer.match && same(ours, about(answer.match)),
  ],
  [
    "calls-of-other-forms",
    ({ parts, answer, theirs }) =>
      !theirs && isOtherForm(parts[0] ?? "") && (parts[0] ?? "").startsWith(answer?.match ?? "?"),
  ],
  [
    "prefix-that-looks-like-a-call",
    ({ parts, answer, call }) =>
      parts.filter(isFullCall).length >= 2 &&
      answer?.matchedBy === "prefix" &&
      namesAPlace(parts, answer.match, call),
  ],
  [
    "portable-in-a-call-area",
    ({ parts, ours, about }) =>
      parts.slice(1).some(isPortableInArea) &&
      same(ours, about(parts.map((part) => (isPortableInArea(part) ? part.slice(1) : part)).join("/"))),
  ],
  [
    "states-behind-a-call",
    ({ parts, ours, about }) =>
      /^(?:A[A-L]|[KNW])/.test(parts[0] ?? "") &&
      parts.length === 2 &&
      isState(parts[1]) &&
      same(ours, about(`${parts[0]}/P`)),
  ],
  ["call-area-by-digit", ({ parts, answer }) => isArea(parts, answer?.match ?? "?")],
  [
    "activity-suffixes",
    ({ parts, ours, about }) =>
      parts.slice(1).some(isActivity) && same(ours, about(without(parts, isActivity))),
  ],
  [
    "suffixes-that-are-no-prefix",
    ({ parts, ours, about }) =>
      isUnknownSuffix(parts) &&
      same(ours, about(without(parts, (part) => part === parts.at(-1) || part.length === 1))),
  ],
  [
    "prefixes-behind-a-short-call",
    ({ parts, answer, theirs }) =>
      !theirs &&
      parts.length === 2 &&
      parts[0]?.length === 3 &&
      (parts[1] ?? "").startsWith(answer?.match ?? "?"),
  ],
  [
    "suffixes-cut-down-to-a-prefix",
    ({ parts, ours, about }) =>
      parts.length === 2 && /^[A-Z]{2,3}$/.test(parts[1] ?? "") && same(ours, about(`${parts[0]}/P`)),
  ],
  [
    "prefixes-before-any-call",
    ({ parts, answer, theirs }) =>
      !theirs && isFullCall(parts[1] ?? "") && (parts[0] ?? "").startsWith(answer?.match ?? "?"),
  ],
  [
    "place-nearest-to-the-call",
    ({ parts, answer, call }) =>
      parts.length > 2 && answer?.matchedBy === "prefix" && namesAPlace(parts, answer.match, call),
  ],
];

const HOME_RULES: readonly (readonly [name: string, explains: (row: HomeCase) => boolean])[] = [
  ["calls-of-other-forms", ({ words, ours }) => words.includes(ours) && isOtherForm(ours)],
  ["home-call-of-two", ({ words, ours, theirs }) => words.includes(ours) && words.includes(theirs)],
  [
    "home-call-in-one-piece",
    ({ words, ours, theirs }) => words.includes(ours) && ours !== theirs && ours.includes(theirs),
  ],
  ["letters-outside-ascii", ({ raw, ours }) => ours === "" && /[^\x20-\x7e]/.test(raw)],
  [
    "home-call-not-cut-out",
    ({ words, ours, theirs }) =>
      ours === "" && (!words.includes(theirs) || words.some((word) => word.length > 4 && !isFullCall(word))),
  ],
  ["too-many-calls-for-a-home", ({ words, ours }) => ours === "" && words.filter(isFullCall).length > 3],
  ["empty-parts", ({ raw, ours }) => ours === "" && raw.includes("//")],
  ["home-call-of-two", ({ words, ours }) => words.includes(ours) && words.filter(isFullCall).length > 1],
];

interface HomeCase {
  readonly raw: string;
  readonly words: readonly string[];
  /** "" for none. */
  readonly ours: string;
  readonly theirs: string;
}

export const RULE_NAMES: readonly string[] = [...new Set([...RULES, ...HOME_RULES].map(([name]) => name))];

/** The outcome of a home call, as `explain` has it. */
export function explainHome(row: CallRow, ours = ""): string | undefined {
  const { home: theirs = "" } = row;
  if (ours === theirs) return "equal";
  const words = row.call.toUpperCase().split(/[^A-Z0-9]+/);
  return HOME_RULES.find(([, explains]) => explains({ raw: row.call, words, ours, theirs }))?.[0];
}

/** The outcome of one row: "equal", the name of the rule that explains it, or `undefined` for a fault of ours. */
export function explain(row: CallRow, table: TableSource, at: Date): string | undefined {
  const recordOf = (text: string): CallsignRecord | undefined => {
    const found = identify(text, { table, at });
    return found.kind === "identified" ? found.record : undefined;
  };
  const answer = identify(row.call, { table, at });
  const ours = answer.kind === "identified" ? answer.record : undefined;
  if (same(ours, row.all)) return "equal";
  const call = row.call
    .trim()
    .toUpperCase()
    .replace(/-[0-9]{1,3}$/, "");
  const found = answer.kind === "identified" ? answer : undefined;
  const facts = {
    raw: row.call,
    call,
    parts: call.split("/"),
    theirs: row.all,
    ours,
    answer: found,
    about: recordOf,
  };
  return RULES.find(([, explains]) => explains(facts))?.[0];
}

const STAYS: ReadonlySet<string> = new Set(["B", "BCN", "QRP", "QRPP"]);

function isBeacon(parts: readonly string[]): boolean {
  return parts.slice(1).some((part) => part === "B" || part === "BCN");
}

function withoutBeacon(record: CallsignRecord | undefined): unknown {
  const { beacon: _, ...rest } = record ?? { country: "" };
  return rest;
}

/** The prefix belongs to a part that is not the most call-like one. */
function namesAPlace(parts: readonly string[], match: string, call: string): boolean {
  return parts.some((part) => part.startsWith(match)) && call.includes("/");
}

/** The prefix is that of the call with another digit. */
function isArea(parts: readonly string[], match: string): boolean {
  const digit = parts.slice(1).findLast((part) => /^[0-9]$/.test(part));
  const [, block = "?"] = /^([0-9]?[A-Z]{1,2}[0-9]*?)[0-9][A-Z]/.exec(parts[0] ?? "") ?? [];
  return digit !== undefined && (block + digit).startsWith(match);
}

/** Without a suffix or a digit, or with digits behind three letters of the suffix. */
function isOtherForm(call: string): boolean {
  return isShortenedCall(call) || /[0-9][A-Z]{3,4}[0-9]{1,3}[A-Z]*$/.test(call);
}

/** P and a digit, but for the prefixes of Papua New Guinea, Aruba and North Korea. */
function isPortableInArea(part: string): boolean {
  return /^P[0136-9]$/.test(part);
}

/** Of the calls in the recorded answers. */
function isState(part: string | undefined): boolean {
  return part !== undefined && " AZ CA FL IA ID MA MN MT NC OR SD TN WA WY ".includes(` ${part} `);
}

function isActivity(part: string): boolean {
  return ["YL", "PM", "LT", "GA", "JO81", "LH", "LS", "HQ", "AG", "AE", "KT"].includes(part);
}

function without(parts: readonly string[], leaves: (part: string) => boolean): string {
  return parts.filter((part, index) => index === 0 || !leaves(part)).join("/");
}

function isUnknownSuffix(parts: readonly string[]): boolean {
  return parts.length > 1 && /^(?:[0-9]{2,}|[0-9][A-Z]|A1|[A-Z]{2,}|[0-9]+[A-Z])$/.test(parts.at(-1) ?? "");
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;
}
