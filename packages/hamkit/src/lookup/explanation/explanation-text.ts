/** Explanations in words. */
import type { CallsignPart, PartRole } from "../../callsign/part-roles.js";
import type { Position } from "../../geo/position.js";
import type { Identification } from "../source.js";
import type {
  Certainty,
  DecidingRule,
  Explanation,
  ExplanationDetails,
  LostReason,
  OtherAnswer,
  Override,
  PassedOverEntry,
  UnknownReason,
  Conflict,
  DxccEntityName,
  ComparedField,
  ExplainedEntry,
} from "./explanation.js";

/** A line of an explanation. */
export interface ExplanationLine {
  readonly label: string;
  readonly text: string;
}

/** Of one explanation; the nearest ones come first. */
const MAX_PASSED_OVER = 6;

/**
 * An explanation as lines of text, each with a label in front. Control characters of the input and of files are replaced.
 *
 * @example
 * const table = await loadEmbeddedCountryFile();
 * explanationText(explain("W1AW/KH6", { table })).split("\n")[1]; // => "Answer       Hawaii, DXCC 110, OC, CQ 31, ITU 61"
 */
export function explanationText(explanation: Explanation): string {
  const lines = explanationLines(explanation);
  const width = Math.max(...lines.map(({ label }) => label.length));
  const all = [headingOf(explanation), ...lines.map(({ label, text }) => `${label.padEnd(width)}  ${text}`)];
  return all.map((line) => line.replaceAll(CONTROL, "\uFFFD")).join("\n");
}

/** Control and format characters, and line separators. */
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Of a text that cannot be a callsign. */
const MAX_INPUT = 40;

/** The callsign, or the text that cannot be one. */
export function headingOf({ callsign, input }: ExplanationDetails): string {
  if (callsign !== undefined) return callsign;
  return JSON.stringify(input.length > MAX_INPUT ? `${input.slice(0, MAX_INPUT)}...` : input);
}

/** The lines of an explanation, in the order: answer, parts, entry, certainty, entries passed over, other sources, conflicts. */
export function explanationLines(explanation: Explanation): readonly ExplanationLine[] {
  const { parts, setAside, entry, searched, overrides, passedOver, shared, others, conflicts } = explanation;
  const lines: ExplanationLine[] = [];
  const add = (label: string, text: string): unknown => text !== "" && lines.push({ label, text });

  add("Answer", answerText(explanation));
  if (parts.length > 1) add("Parts", parts.map(partText).join("; "));
  add("Set aside", setAside.map(({ text }) => text).join(", "));
  add("Decided by", DECIDED_BY[explanation.rule]);
  if (entry !== undefined)
    add("Matched", `${entryText(entry)}${searched === undefined ? "" : `, searched for ${searched}`}`);
  add("Source", sourceText(explanation.source, explanation.sourceDate));
  add("Certainty", CERTAINTY[explanation.certainty]);
  if (shared !== undefined && explanation.certainty !== "shared-prefix")
    add("Prefix", `${shared.prefix} is shared by several entities: only the entry tells`);
  for (const override of overrides) add("Special", overrideText(override));
  for (const one of passedOver.slice(0, MAX_PASSED_OVER)) add("Passed over", passedOverText(one));
  if (passedOver.length > MAX_PASSED_OVER)
    add("Passed over", `${passedOver.length - MAX_PASSED_OVER} more entries`);
  for (const other of others) add("Other source", otherText(other));
  for (const conflict of conflicts) add("Look twice", conflictText(conflict));
  return lines;
}

function answerText(explanation: Identification & ExplanationDetails): string {
  if (explanation.kind === "unknown") return `unknown: ${UNKNOWN[explanation.reason ?? "no-entry"]}`;
  if (explanation.kind === "invalid-operation") return "an operation that does not count for DXCC";
  const { record, assumed, needsEntry } = explanation;
  return [
    callsignRecordText(record),
    ...(record.beacon ? ["beacon"] : []),
    ...(assumed ? ["assumed to be at the place of its entry"] : []),
    ...(needsEntry ? ["not listed, and only listed operations count"] : []),
  ].join("; ");
}

const UNKNOWN: Readonly<Record<UnknownReason, string>> = {
  "not-a-callsign-text": "callsigns have 1 to 30 characters of A-Z, 0-9, / and -",
  "no-call-form": "no part has the form of a call",
  "no-entry": "no entry, and no entry of a prefix",
  "no-entry-then": "no entry is valid at that time",
};

function partText({ text, role }: CallsignPart): string {
  return `${text} ${ROLES[role]}`;
}

const ROLES: Readonly<Record<PartRole, string>> = {
  call: "the call",
  before: "before the call",
  after: "behind the call",
  area: "digit of another call area",
  "own-area": "digit of its own call area",
  state: "state of the United States",
  maritime: "at sea",
  aeronautical: "in the air",
  beacon: "beacon",
  "same-station": "at the same place",
  activity: "activity",
  spotter: "mark of a spotter",
  ssid: "SSID",
  unused: "not used",
};

const DECIDED_BY: Readonly<Record<DecidingRule, string>> = {
  exact: "the entry of the whole callsign",
  prefix: "the call's own prefix",
  suffix: "the call and the meaning of its suffix",
  "portable prefix": "the prefix before the call",
  "three parts": "the prefix with a slash inside",
  "suffix is a prefix": "the prefix behind the call",
  "call area digit": "the digit behind the call",
  "length rule": "the number of letters behind KG4: two are Guantanamo Bay",
  "invalid operation": "the list of invalid operations, or a prefix of no country",
  none: "",
};

const CERTAINTY: Readonly<Record<Certainty, string>> = {
  "exact-entry": "an entry has it",
  "assumed-entry": "an entry has the call without its suffix",
  "single-entity": "the prefix belongs to one entity",
  "shared-prefix": "a guess: entities share the prefix",
  "no-entity": "in no entity",
  "no-entry": "",
};

function overrideText(override: Override): string {
  const by = override.by === "zone-exception" ? " by the list of zones" : "";
  if (override.field === "position")
    return `position ${degreesText(override.value)}, usually ${degreesText(override.usual)}`;
  return `${fieldNames([override.field])} ${override.value}${by}, usually ${override.usual}`;
}

function passedOverText({ reason, ...entry }: PassedOverEntry): string {
  return `${entryText(entry)}, ${countryOfEntry(entry.record)}: ${LOST[reason]}`;
}

const LOST: Readonly<Record<LostReason, string>> = {
  "shorter-prefix": "a longer prefix matches",
  "other-period": "not valid at that time",
  undated: "an entry with a period counts first",
  "higher-number": "an entry with a lower number counts first",
  "entry-first": "the entry of the callsign counts first",
  "other-part": "another part names the place",
  "may-be-away": "the suffix may mean that the station is elsewhere",
  "invalid-operation": "the operation does not count",
};

function otherText({ source, sourceDate, answer, differs, entry }: OtherAnswer): string {
  const name = sourceText(source, sourceDate);
  if (answer.kind === "unknown") return `${name}: unknown`;
  if (answer.kind === "invalid-operation") return `${name}: does not count for DXCC`;
  const matched = entry === undefined ? "" : `, ${entryText(entry)}`;
  const agreement = differs.length === 0 ? "agrees" : `differs in ${fieldNames(differs)}`;
  return `${name}: ${agreement}: ${callsignRecordText(answer.record)}${matched}`;
}

/** Of one conflict. */
const MAX_LISTED = 5;

/** A conflict as a sentence without its period. */
function conflictText(conflict: Conflict): string {
  return SENTENCES[conflict.kind](conflict as never);
}

type ConflictOf<Kind> = Extract<Conflict, { readonly kind: Kind }>;

const SENTENCES: { readonly [Kind in Conflict["kind"]]: (conflict: ConflictOf<Kind>) => string } = {
  "shared-prefix": ({ shared: { prefix, entities } }) =>
    entities.length === 0
      ? `${prefix} is shared by stations in any country`
      : `${prefix} is shared by ${listText(entities.map(entityText))}`,
  "change-with-time": ({ entries }) =>
    `at other times ${listText(entries.map((entry) => `${entryText(entry)} is ${countryOfEntry(entry.record)}`))}`,
  "postal-country": ({ source, postal }) =>
    `the address in ${source} is in ${postal}, which is not the entity`,
  "unknown-to-some": ({ sources }) => `unknown to ${listText(sources)}`,
  "sources-differ": ({ source, differs }) => `${source} differs in ${fieldNames(differs)}`,
  "suffix-or-prefix": ({ readings }) =>
    listText(readings.map(({ text, record }) => `${text} could be read as ${countryOfEntry(record)}`)),
  "not-for-dxcc": ({ country, dxcc }) =>
    `${country} is an entity of the CQ and WAE lists; for DXCC it belongs to ${entityText(dxcc)}`,
  "default-zone": ({ cqz, zones }) =>
    `CQ zone ${cqz} is that of the prefix; the entity has ${zones.join(", ")}`,
  "looks-like": ({ looksLike }) => LOOKS_LIKE[looksLike],
};

const LOOKS_LIKE = {
  prefix: "the call is as short as a prefix",
  mode: "the call begins like the name of a mode",
  locator: "the call has the form of a grid locator",
  message: "the call begins like RR73, the end of a contact",
} as const;

function entityText({ adif, country }: DxccEntityName): string {
  return country === undefined ? `DXCC ${adif}` : `${country} (${adif})`;
}

/** The first few, and the number of the others. */
function listText(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return rest > 0 ? `${texts.slice(0, MAX_LISTED).join(", ")} and ${rest} more` : texts.join(", ");
}

/** "prefix VP9", "call VP8DY from 1968-01-01 to 1984-12-31". */
function entryText({ section, key, start, end }: ExplainedEntry): string {
  const from = start === undefined ? "" : ` from ${dayText(start)}`;
  const to = end === undefined ? "" : ` to ${dayText(end)}`;
  return `${section === "calls" ? "call" : "prefix"} ${key}${from}${to}`;
}

/** The day of a moment, and the time unless it is the first or the last second of the day. */
function dayText(moment: Date): string {
  const [day = "", time = ""] = moment.toISOString().slice(0, 19).split("T");
  return time === "00:00:00" || time === "23:59:59" ? day : `${day} ${time}`;
}

/** "Bermuda, DXCC 64, NA, CQ 5, ITU 11", with the fields that the record has. Zone 0 means none, or several. */
function callsignRecordText(record: object): string {
  const value = (key: string): string | number | undefined => {
    const found: unknown = Reflect.get(record, key);
    return (typeof found === "string" && found !== "") || (typeof found === "number" && found !== 0)
      ? found
      : undefined;
  };
  const labeled = (label: string, key: string): string[] => {
    const found = value(key);
    return found === undefined ? [] : [`${label}${found}`];
  };
  // In a callbook record `country` is that of the address, `land` that of the station.
  return [
    String(value("land") ?? value("country") ?? "no country"),
    ...labeled("DXCC ", "adif"),
    ...labeled("", "continent"),
    ...labeled("CQ ", "cqz"),
    ...labeled("ITU ", "ituz"),
  ].join(", ");
}

/** The country of an entry; prefixes that are assigned to no country have none. */
function countryOfEntry({ country, adif }: { readonly country: string; readonly adif?: number }): string {
  return adif === undefined ? "in no country" : country;
}

/** Degrees with two decimals, north and east positive. */
function degreesText({ latitude, longitude }: Position): string {
  return `${latitude.toFixed(2)} ${longitude.toFixed(2)}`;
}

/** "embedded country file VER20260530 of 2026-05-30" */
function sourceText(source: string, date: string | undefined): string {
  return date === undefined ? source : `${source} of ${date}`;
}

/** The names of fields, for a sentence. */
function fieldNames(fields: readonly (ComparedField | Override["field"])[]): string {
  return fields.map((field) => NAMES[field] ?? field).join(", ");
}

const NAMES: Readonly<Partial<Record<ComparedField | Override["field"], string>>> = {
  cqz: "CQ zone",
  ituz: "ITU zone",
};
