/** Reads a file into contacts: annotated, with what the table sorts and filters by. Runs in the worker of the logs. */
import { findBand } from "hamkit/frequency";
import { annotateLog, fieldValue, readLog, type AnnotatedLog, type Log, type Qso } from "hamkit/logs";

import { countryTable } from "../worker/country-table.js";
import type { UnreadLine } from "./log-types.js";

/** A log that is open. */
export interface OpenLog {
  readonly id: string;
  readonly name: string;
  readonly log: Log;
  /** The own one, for a log that has none. */
  readonly locator: string | undefined;
  readonly contacts: readonly Contact[];
  readonly bandOrder: readonly string[];
  readonly unread: readonly UnreadLine[];
  readonly unreadCount: number;
}

/** A QSO, and what it is filtered by. */
export interface Contact {
  /** Id of its log. */
  readonly log: string;
  readonly qso: Qso;
  /** `2024-06-01 12:00`; as the log has it where that is no date. */
  readonly time: string;
  readonly band: string;
  readonly mode: string;
  /** Of `card`, `LoTW`, `eQSL`. */
  readonly confirmed: readonly string[];
}

const MAX_UNREAD = 1000;

/**
 * @param locator The own one. That of the log applies where a QSO has one.
 * @throws The file is no log.
 */
export async function readContacts(file: {
  readonly id: string;
  readonly name: string;
  readonly content: ArrayBuffer;
  readonly locator: string | undefined;
}): Promise<OpenLog> {
  const { id, name, content } = file;
  const read = await readLog(new Uint8Array(content), { name });
  const hasOwn = read.qsos.some((qso) => fieldValue(qso, "MY_GRIDSQUARE") !== undefined);
  const locator = hasOwn ? undefined : file.locator;
  const annotated = annotateLog(read, { table: await countryTable(), locator });
  const { log, summary } = annotated;
  return {
    id,
    name,
    log,
    locator,
    contacts: log.qsos.map((qso) => ({
      log: id,
      qso,
      time: timeOf(qso),
      band: bandOf(qso),
      mode: modeOf(qso),
      confirmed: confirmationsOf(qso),
    })),
    bandOrder: summary.bands.map(({ band }) => band),
    ...unreadIn(annotated),
  };
}

function timeOf(qso: Qso): string {
  const value = (name: string) => fieldValue(qso, name) ?? "";
  const [, year = "", month = "", day = ""] = /^(\d{4})(\d\d)(\d\d)$/.exec(value("QSO_DATE")) ?? [];
  const [, hour = "", minute = ""] = /^(\d\d)(\d\d)/.exec(value("TIME_ON")) ?? [];
  const date = day === "" ? value("QSO_DATE") : `${year}-${month}-${day}`;
  return minute === "" ? date : `${date} ${hour}:${minute}`;
}

/** The band of a QSO, or of its frequency. */
function bandOf(qso: Qso): string {
  const band = fieldValue(qso, "BAND");
  if (band !== undefined) return band.toLowerCase();
  return findBand(Number(fieldValue(qso, "FREQ") ?? Number.NaN) * 1000)?.adif ?? "";
}

/** The mode as people name it: FT4 is a submode of MFSK in ADIF, USB one of SSB. */
function modeOf(qso: Qso): string {
  const mode = (fieldValue(qso, "MODE") ?? "").toUpperCase();
  const submode = fieldValue(qso, "SUBMODE");
  return mode === "MFSK" && submode !== undefined ? submode.toUpperCase() : mode;
}

/** What a QSO is most often confirmed by. One list for each combination: a log has many QSOs. */
function confirmationsOf(qso: Qso): readonly string[] {
  // A card that came electronically is none, as for awards.
  const isCard = isReceived(qso, "QSL_RCVD") && fieldValue(qso, "QSL_RCVD_VIA")?.toUpperCase() !== "E";
  const bits =
    Number(isCard) +
    2 * Number(isReceived(qso, "LOTW_QSL_RCVD")) +
    4 * Number(isReceived(qso, "EQSL_QSL_RCVD"));
  return COMBINATIONS[bits] ?? [];
}

const COMBINATIONS = Array.from({ length: 8 }, (_, bits) =>
  ["card", "LoTW", "eQSL"].filter((__, bit) => (bits & (1 << bit)) !== 0),
);

function isReceived(qso: Qso, name: string): boolean {
  return /^[YV]$/i.test(fieldValue(qso, name) ?? "");
}

function unreadIn({ problems, problemCount, unidentified }: AnnotatedLog) {
  const unread = [
    ...problems.map(({ line, message }) => ({ line, message })),
    ...unidentified
      .slice(0, MAX_UNREAD)
      .map(({ line, call, reason }) => ({ line, message: REASONS[reason](call) })),
  ];
  return {
    unread: unread.sort((a, b) => a.line - b.line).slice(0, MAX_UNREAD),
    unreadCount: problemCount + unidentified.length,
  };
}

const REASONS = {
  unknown: (call: string) => `${call}: no country has this prefix`,
  "invalid-operation": (call: string) => `${call}: an operation that doesn't count for DXCC`,
  "no-call": () => "the QSO has no call",
};
