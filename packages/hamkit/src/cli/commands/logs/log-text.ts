/** Text output of `hamkit log`, and the examples of changes and conflicts that it lists. */
import type { AdifRecord } from "../../../adif/parse-adif.js";
import type { FieldChange, FieldConflict } from "../../../merge.js";
import { showValue } from "../../../show-value.js";
import { toPrintable } from "../../terminal/terminal.js";

/** A contact as it is listed. */
export interface ListedContact {
  readonly call: string;
  readonly date: string;
  readonly time: string;
  readonly band: string;
  readonly mode: string;
}

export interface ListedConflict extends ListedContact, FieldConflict {}

/** What merging changed, in numbers and examples. */
export interface ChangeSummary {
  /** Number of values by field that came from another record. */
  readonly changes: Readonly<Record<string, number>>;
  readonly conflictCount: number;
  readonly conflicts: readonly ListedConflict[];
  /** Contacts that were merged, or matched. */
  readonly contactsWithRepeats: readonly ListedContact[];
  readonly unmatchedRecords: readonly ListedContact[];
}

export interface Examples {
  add(contact: {
    readonly record: AdifRecord;
    readonly changes: readonly FieldChange[];
    readonly conflicts: readonly FieldConflict[];
  }): void;
  addUnmatched(record: AdifRecord): void;
  summary(): ChangeSummary;
}

/** Examples that are listed, and those that are listed with --all: broken logs have millions. */
const MAX_EXAMPLES = 10;
const MAX_LISTED = 10_000;

export function createExamples({ all = false }: { readonly all?: boolean }): Examples {
  const max = all ? MAX_LISTED : MAX_EXAMPLES;
  const changes = new Map<string, number>();
  const conflicts: ListedConflict[] = [];
  const contacts: ListedContact[] = [];
  const unmatched: ListedContact[] = [];
  let conflictCount = 0;
  return {
    add(contact) {
      const { record } = contact;
      for (const { field } of contact.changes) changes.set(field, (changes.get(field) ?? 0) + 1);
      conflictCount += contact.conflicts.length;
      for (const conflict of contact.conflicts)
        if (conflicts.length < max) conflicts.push({ ...listed(record), ...conflict });
      if (contacts.length < max) contacts.push(listed(record));
    },
    addUnmatched(record) {
      if (unmatched.length < max) unmatched.push(listed(record));
    },
    summary: () => ({
      changes: Object.fromEntries(Array.from(changes).toSorted(([, a], [, b]) => b - a)),
      conflictCount,
      conflicts,
      contactsWithRepeats: contacts,
      unmatchedRecords: unmatched,
    }),
  };
}

function listed(record: AdifRecord): ListedContact {
  const { CALL: call = "", QSO_DATE: date = "", TIME_ON: time = "", BAND: band = "" } = record;
  const { MODE: mode = "", SUBMODE: submode = "" } = record;
  return { call, date, time, band, mode: submode || mode };
}

interface InputCount {
  readonly input: string;
  readonly records: number;
}

interface MergeResult extends ChangeSummary {
  readonly inputs: readonly InputCount[];
  readonly output: string;
  readonly contacts: number;
  readonly repeated: number;
  readonly incomparable: number;
}

export function mergeLines(result: MergeResult): string[] {
  const { inputs, output, contacts, repeated } = result;
  return [
    ...inputs.map(({ input, records }) => `${toPrintable(input)}: ${recordsText(records)}`),
    `${contacts} contacts written to ${toPrintable(output)}; ${recordsText(repeated)} repeated one of them`,
    ...changeLines(result),
    ...incomparableLines(result.incomparable),
  ];
}

interface DupeResult extends ChangeSummary {
  readonly input: string;
  readonly contacts: number;
  readonly repeated: number;
  readonly incomparable: number;
}

export function dupeLines(result: DupeResult): string[] {
  const { input, contacts, repeated, contactsWithRepeats: shown } = result;
  return [
    `${toPrintable(input)}: ${contacts} contacts; ${recordsText(repeated)} repeated one of them`,
    ...(shown.length > 0
      ? ["", "Several times in the log", ...listLines(shown.map(contactText), repeated)]
      : []),
    ...conflictLines(result),
    ...incomparableLines(result.incomparable),
  ];
}

interface MatchResult extends ChangeSummary {
  readonly input: string;
  readonly output: string;
  readonly contacts: number;
  readonly reports: readonly object[];
  readonly matched: number;
  readonly confirmed: number;
  readonly unmatched: number;
}

export function matchLines(result: MatchResult): string[] {
  const { input, output, contacts, reports, matched, confirmed, unmatched, unmatchedRecords } = result;
  return [
    `${toPrintable(input)}: ${contacts} contacts`,
    ...(reports as readonly InputCount[]).map(
      (each) => `${toPrintable(each.input)}: ${recordsText(each.records)}`,
    ),
    `${matched} contacts matched; ${recordsText(confirmed)} confirm one; written to ${toPrintable(output)}`,
    ...changeLines(result),
    ...(unmatched > 0
      ? ["", `Not in the log (${unmatched})`, ...listLines(unmatchedRecords.map(contactText), unmatched)]
      : []),
  ];
}

function recordsText(count: number): string {
  return count === 1 ? "1 record" : `${count} records`;
}

function changeLines(result: ChangeSummary): string[] {
  const changes = Object.entries(result.changes).map(([field, count]) => `${toPrintable(field)} ${count}`);
  const shown = changes.slice(0, MAX_EXAMPLES * 2);
  const more = changes.length > shown.length ? ", ..." : "";
  return [...(shown.length > 0 ? [`Added: ${shown.join(", ")}${more}`] : []), ...conflictLines(result)];
}

function conflictLines({ conflicts, conflictCount }: ChangeSummary): string[] {
  if (conflictCount === 0) return [];
  const lines = conflicts.map((conflict) => {
    const { field, kept, other } = conflict;
    return `${contactText(conflict)}: ${toPrintable(field)}: ${showValue(kept)} is kept, not ${showValue(other)}`;
  });
  return ["", `Conflicts (${conflictCount})`, ...listLines(lines, conflictCount)];
}

function listLines(lines: readonly string[], count: number): string[] {
  const more = count - lines.length;
  return [...lines.map((line) => `  ${line}`), ...(more > 0 ? [`  and ${more} more; --all lists them`] : [])];
}

function incomparableLines(count: number): string[] {
  return count === 0
    ? []
    : ["", `Without call, band, date or time, and kept as they are: ${recordsText(count)}`];
}

function contactText({ call, date, time, band, mode }: ListedContact): string {
  return toPrintable([call, date, time, band, mode].map((word) => word.slice(0, 20) || "-").join(" "));
}

/** A record in ADI. */
export function adiRecord(record: AdifRecord): string {
  let text = "";
  for (const [name, value] of Object.entries(record)) if (value !== "") text += `${adiField(name, value)} `;
  return `${text}<EOR>`;
}

/** A field in ADI: its length counts bytes. */
export function adiField(name: string, value: string): string {
  const safe = /^[\w-]+$/.test(name) ? name : name.replaceAll(/[^ -~]|[:<>,{}]/g, "_");
  return `<${safe}:${Buffer.byteLength(value)}>${value}`;
}
