/** Explanations in words. */
import type { CallsignPart, PartRole } from "../../callsign/callsign-parts.js";
import type { Identification } from "../source.js";
import { conflictText } from "./conflict-text.js";
import {
  entryText,
  fieldNames,
  countryOfEntry,
  degreesText,
  callsignRecordText,
  sourceText,
} from "./entry-text.js";
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
