/** One record of two that mean the same contact: what one lacks is taken from the other, and what contradicts is reported. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { groupedMode } from "../awards/contacts/mode-group.js";
import { isGroupName, minuteOf } from "./contact-index.js";

/** A field that the merged record has from the other one. */
export interface FieldChange {
  readonly field: string;
  /** Absent where the field was missing or empty. */
  readonly before?: string;
  readonly after: string;
}

/** A field with two values, of which the first is kept. */
export interface FieldConflict {
  readonly field: string;
  readonly kept: string;
  readonly other: string;
}

/** A merged record. */
export interface MergedRecord {
  readonly record: AdifRecord;
  /** What was added, what is more precise now, and confirmations that came. */
  readonly changes: readonly FieldChange[];
  readonly conflicts: readonly FieldConflict[];
}

/**
 * Merges two records of one contact. Nothing is overwritten but by what says the same more precisely (`JN48` by `JN48QM`, `1201` by
 * `120130`, `DATA` by `FT8`), and states of confirmation by later ones (`N` by `Y`).
 *
 * @param kept Its values are kept where the two contradict.
 * @example
 * const kept = { CALL: "DH1TW", BAND: "20m", GRIDSQUARE: "JN48", LOTW_QSL_RCVD: "N", NAME: "Tobias" };
 * const { record, conflicts } = mergeRecords(kept, { CALL: "DH1TW", GRIDSQUARE: "JN48QM", LOTW_QSL_RCVD: "Y", NAME: "Tom", DXCC: "230" });
 * record; // => { CALL: "DH1TW", BAND: "20m", GRIDSQUARE: "JN48QM", LOTW_QSL_RCVD: "Y", NAME: "Tobias", DXCC: "230" }
 * conflicts; // => [{ field: "NAME", kept: "Tobias", other: "Tom" }]
 */
export function mergeRecords(kept: AdifRecord, other: AdifRecord): MergedRecord {
  let record: AdifRecord = kept;
  const changes: FieldChange[] = [];
  const conflicts: FieldConflict[] = [];
  const set = (field: string, after: string, before: string) => {
    if (record === kept) record = { ...kept };
    record[field] = after;
    changes.push(before === "" ? { field, after } : { field, before, after });
  };
  /** Dates of states that came from the other record come with them. */
  const upgraded = new Set<string>();

  for (const [field, value] of Object.entries(other)) {
    const [before, after] = [kept[field] ?? "", value];
    if (after === "" || before === after) continue;
    if (before === "") set(field, after, before);
    else {
      const verdict = compare(field, [before, after], [kept, other]);
      if (verdict === "other") {
        set(field, after, before);
        if (isState(field)) upgraded.add(field);
      } else if (verdict === "conflict") conflicts.push({ field, kept: before, other: after });
    }
  }
  const dates = new Set(Array.from(upgraded, dateOfState));
  const settled = conflicts.filter(({ field }) => dates.has(field));
  for (const { field, kept: before, other: after } of settled) set(field, after, before);
  return {
    record,
    changes,
    conflicts: settled.length === 0 ? conflicts : conflicts.filter((each) => !settled.includes(each)),
  };
}

type Verdict = "same" | "other" | "conflict";

function compare(
  field: string,
  [before, after]: readonly [string, string],
  [kept, other]: readonly [AdifRecord, AdifRecord],
): Verdict {
  if (isState(field)) return compareStates(before, after);
  if (field === "MODE" || field === "SUBMODE") return compareModes(field, kept, other);
  if (TIMES.has(field)) return compareTimes(field, [before, after], [kept, other]);
  const [one, two] = [before.trim().toUpperCase(), after.trim().toUpperCase()];
  if (one === two) return "same";
  if (isLocator(field)) return two.startsWith(one) ? "other" : one.startsWith(two) ? "same" : "conflict";
  if (NUMBER.test(one) && NUMBER.test(two)) return compareNumbers(one, two);
  return "conflict";
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const STATE = /^(?:(?:QSL|LOTW_QSL|EQSL_QSL|DCL_QSL)_(?:RCVD|SENT)|\w+_(?:UPLOAD|DOWNLOAD)_STATUS|EQSL_AG)$/;
const TIMES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "QSO_DATE",
  "TIME_ON",
  "QSO_DATE_OFF",
  "TIME_OFF",
]);

function isState(field: string): boolean {
  return STATE.test(field);
}

/** QSLRDATE of QSL_RCVD, LOTW_QSLSDATE of LOTW_QSL_SENT, ..._DATE of ..._STATUS. */
function dateOfState(field: string): string {
  return field
    .replace(/QSL_RCVD$/, "QSLRDATE")
    .replace(/QSL_SENT$/, "QSLSDATE")
    .replace(/_STATUS$/, "_DATE");
}

/** From none to confirmed, and checked by the sponsor. `I`, invalid, is a decision of the user. */
const STATES = "NRQMYV";

function compareStates(before: string, after: string): Verdict {
  const [one, two] = [STATES.indexOf(before.toUpperCase()), STATES.indexOf(after.toUpperCase())];
  if (one < 0 || two < 0) return "conflict";
  return two > one ? "other" : "same";
}

/** A group's name says less than a mode, a mode less than its submode. */
function compareModes(field: "MODE" | "SUBMODE", kept: AdifRecord, other: AdifRecord): Verdict {
  if (field === "SUBMODE")
    return kept["SUBMODE"]?.toUpperCase() === other["SUBMODE"]?.toUpperCase() ? "same" : "conflict";
  if (isGroupName(kept["MODE"] ?? "")) return "other";
  if (isGroupName(other["MODE"] ?? "")) return "same";
  const [one, two] = [kept, other].map(({ MODE: mode, SUBMODE: submode }) => groupedMode(mode, submode));
  return one !== undefined && one.mode !== "" && one.mode === two?.mode ? "same" : "conflict";
}

/** Times of one contact differ by minutes in two logs; what differs by less than one says the same. */
function compareTimes(
  field: string,
  [before, after]: readonly [string, string],
  records: readonly [AdifRecord, AdifRecord],
): Verdict {
  if (field.startsWith("TIME") && after.startsWith(before)) return "other";
  if (field.startsWith("TIME") && before.startsWith(after)) return "same";
  const [one, two] = records.map((record) =>
    minuteOf(
      field.endsWith("OFF")
        ? { QSO_DATE: record["QSO_DATE_OFF"] ?? record["QSO_DATE"] ?? "", TIME_ON: record["TIME_OFF"] ?? "" }
        : record,
    ),
  );
  return Math.abs((one ?? Number.NaN) - (two ?? Number.NaN)) <= 1 ? "same" : "conflict";
}

function isLocator(field: string): boolean {
  return field === "GRIDSQUARE" || field === "MY_GRIDSQUARE";
}

/** 14.074 says more than 14.07, and the same as 14.0740. */
function compareNumbers(one: string, two: string): Verdict {
  if (Number(one) === Number(two)) return "same";
  if (one.includes(".") && two.startsWith(one)) return "other";
  return two.includes(".") && one.startsWith(two) ? "same" : "conflict";
}
