/** What the robot of a contest would refuse in a Cabrillo file, line by line. */
import { isFullCall } from "../../callsign/form.js";
import { showValue } from "../../show-value.js";
import { adifDate, adifTime, textLines } from "../../logs/contest-log.js";
import { parseQsoLine, type CabrilloQso } from "../../logs/cabrillo/cabrillo-qso.js";
import { bandOfCabrillo } from "../../logs/cabrillo/cabrillo-tables.js";
import type { TableSource } from "../../lookup/source.js";
import { createContest, type Contest } from "../contact-scoring.js";
import type { ContestRule } from "../rules/contest-rule.js";
import { createHeaderCheck, headerLine } from "./cabrillo-header.js";

/** A finding in a contest log. */
export interface ContestLogFinding {
  /** Line in the file, from 1; 0 for what is missing. */
  readonly line: number;
  /** Such as `header-value` or `qso-time`. */
  readonly rule: string;
  /** `error` for what robots refuse, `warning` for what some do, or what costs points. */
  readonly level: "error" | "warning";
  readonly message: string;
}

/** Options of `checkContestLog`. */
export interface CheckContestLogOptions {
  /** The rules of the contest; without them, bands, modes and exchanges are not checked. */
  readonly rule?: ContestRule | undefined;
  /** Identifies calls, on which exchanges may depend. */
  readonly table?: TableSource | undefined;
}

const MODES = ["CW", "PH", "FM", "RY", "DG"];
const DAY_MS = 24 * 60 * 60 * 1000;

/** Findings that are returned: a broken file has millions. */
const MAX_FINDINGS = 10_000;

/**
 * Checks a Cabrillo file as the robots of contests do.
 *
 * @param text The content of the file.
 * @returns Findings in the order of lines.
 * @example
 * const findings = checkContestLog("START-OF-LOG: 3.0\nCONTEST: CQ-WW-CW\nCALLSIGN: DH1TW\nQSO: 14025 XX 2024-11-23 0001 DH1TW 599 14 W1AW 599 05\nEND-OF-LOG:\n");
 * findings.map(({ line, rule }) => `${line} ${rule}`); // => ["4 qso-mode"]
 */
export function checkContestLog(
  text: string,
  { rule, table }: CheckContestLogOptions = {},
): readonly ContestLogFinding[] {
  const findings: ContestLogFinding[] = [];
  const header = createHeaderCheck();
  let ownCall = "";
  let contest: Contest | undefined;
  let first = Number.NaN;
  let last = Number.NaN;
  let hasEnded = false;

  const add = (line: number, name: string, message: string, level: "error" | "warning" = "error") => {
    if (findings.length < MAX_FINDINGS) findings.push({ line, rule: name, level, message });
  };

  function checkHeader(line: number, content: string): void {
    const found = headerLine(content);
    if (found === undefined)
      return add(line, "line-unknown", `${showValue(content.trim())} is no line of Cabrillo`);
    const { tag, value } = found;
    if (tag === "QTC") return undefined;
    for (const fault of header.line(tag, value)) add(line, fault.rule, fault.message);
    if (tag === "END-OF-LOG") hasEnded = true;
    if (tag === "CALLSIGN") ownCall = value.toUpperCase();
    return undefined;
  }

  function checkQso(line: number, content: string): void {
    const qso = parseQsoLine(content.trim());
    if (qso === undefined) return add(line, "qso-line", "too few words, or no call of the other station");
    checkColumns(line, qso);
    checkTime(line, qso);
    if (content.includes("\t"))
      add(line, "qso-tab", "tabs between columns: some robots refuse them", "warning");
    if (/[a-z]/.test(content)) add(line, "qso-lower-case", "lower case: some robots refuse it", "warning");
    if (/^\s*X-/i.test(content) || rule === undefined || ownCall === "") return undefined;
    contest ??= createContest(rule, { my: { call: ownCall }, table });
    checkExchange(line, qso, contest);
    return undefined;
  }

  function checkColumns(line: number, { frequency, mode, ownCall: own, call }: CabrilloQso): void {
    if (bandOfCabrillo(frequency) === undefined && frequency.toUpperCase() !== "LIGHT")
      add(
        line,
        "qso-frequency",
        `${showValue(frequency)} is not a frequency in kHz in an amateur band, or a band`,
      );
    if (!MODES.includes(mode)) add(line, "qso-mode", `${showValue(mode)} is not one of ${MODES.join(", ")}`);
    if (ownCall !== "" && own.toUpperCase() !== ownCall)
      add(line, "qso-own-call", `${showValue(own)} is not the CALLSIGN of the header, ${ownCall}`);
    if (!call.toUpperCase().split("/").some(isFullCall))
      add(line, "qso-call", `${showValue(call)} is not a callsign`);
  }

  function checkTime(line: number, { date, time }: CabrilloQso): void {
    const day = /^\d{4}-\d\d-\d\d$/.test(date) ? adifDate(date) : undefined;
    const hour = /^\d{4}$/.test(time) ? adifTime(time) : undefined;
    if (day === undefined) add(line, "qso-date", `${showValue(date)} is not a date as 2024-11-23`);
    if (hour === undefined) add(line, "qso-time", `${showValue(time)} is not a time as 2359`);
    if (day === undefined || hour === undefined) return;
    const moment = Date.parse(`${date}T${time.slice(0, 2)}:${time.slice(2)}Z`);
    if (moment < last) add(line, "qso-order", "earlier than the line before", "warning");
    if (Number.isNaN(first)) first = moment;
    last = moment;
    const hours = rule?.durationHours;
    if (hours !== undefined && Math.abs(moment - first) > (hours / 24) * DAY_MS)
      add(line, "qso-duration", `more than the ${hours} hours of the contest after the first contact`);
  }

  function checkExchange(line: number, qso: CabrilloQso, scored: Contest): void {
    const band = bandOfCabrillo(qso.frequency)?.band ?? "";
    const { excluded, faults, isDupe } = scored.add({
      call: qso.call,
      band,
      mode: qso.mode,
      received: qso.received,
    });
    if (excluded === "band" && band !== "")
      add(line, "contest-band", `${band} is not a band of the contest: ${scored.rule.bands.join(", ")}`);
    if (excluded === "mode" && MODES.includes(qso.mode))
      add(line, "contest-mode", `${qso.mode} is not a mode of the contest: ${scored.rule.modes.join(", ")}`);
    for (const { message } of faults) add(line, "exchange-received", `received: ${message}`);
    for (const { message } of scored.readSent(qso.sent, { call: qso.call }))
      add(line, "exchange-sent", `sent: ${message}`);
    if (isDupe) add(line, "dupe", `${qso.call.toUpperCase()} was worked before`, "warning");
  }

  for (const { number, text: content } of textLines(text.replace(/^\uFEFF/, ""))) {
    if (content.trim() === "") continue;
    if (hasEnded) {
      add(number, "after-end", "a line behind END-OF-LOG");
      break;
    }
    if (/^\s*(?:X-)?QSO:/i.test(content)) checkQso(number, content);
    else checkHeader(number, content);
  }
  for (const fault of header.end()) add(0, fault.rule, fault.message);
  return findings;
}
