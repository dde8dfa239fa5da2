/** Scores the log of a contest. */
import { bandOfRecord } from "../../bands/record-band.js";
import { ValueError } from "../../errors.js";
import { parseQsoLine, LINE_FIELD } from "../../logs/cabrillo/cabrillo-qso.js";
import { bandOfCabrillo } from "../../logs/cabrillo/cabrillo-tables.js";
import { fieldValue, type Log, type Qso } from "../../logs/log.js";
import type { TableSource } from "../../lookup/source.js";
import { createContest, type ContactScore, type Contest } from "../contact-scoring.js";
import type { ContestStation } from "../contest-station.js";
import { CONTEST_RULES } from "../generated/contest-rules.js";
import type { ContestRule } from "../rules/contest-rule.js";
import type { ContestScore } from "../score-sums.js";
import { headerValues } from "./cabrillo-header.js";
import { contestContacts, contestIds, firstMoment } from "./contest-contacts.js";
import { exchangeOf } from "./log-exchange.js";

/** Options of `scoreContestLog`. */
export interface ScoreContestLogOptions {
  /** The rules to choose from by the log's contest; `CONTEST_RULES` when left out. One rule is taken for any contest. */
  readonly rules?: ContestRule | readonly ContestRule[] | undefined;
  /** Identifies calls. */
  readonly table?: TableSource | undefined;
  /** What is known of the own station; its call is that of the log. */
  readonly my?: Partial<ContestStation> | undefined;
  readonly lists?: Readonly<Record<string, Iterable<string>>> | undefined;
  /** A day of the contest, `2024-11-23`, where a log in ADIF has it in several years; the last one when left out. */
  readonly day?: string | undefined;
}

/** A contact of a log with what it counts. */
export interface ScoredContact extends ContactScore {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly call: string;
  readonly band: string;
  readonly mode: string;
  /** UTC, `YYYYMMDDHHMM`; "" where the log has none. */
  readonly time: string;
}

/** The score of a log. */
export interface ContestLogScore {
  readonly rule: ContestRule;
  /** The own call. */
  readonly call: string;
  readonly score: ContestScore;
  /** With the factors of the header. */
  readonly total: number;
  /** CLAIMED-SCORE of the header. */
  readonly claimed?: number;
  /** Without X-QSO lines, which don't count. */
  readonly contacts: readonly ScoredContact[];
  /** X-QSO lines. */
  readonly ignored: number;
  /** Contacts of a log in ADIF that belong to another contest, to none, or to another year. */
  readonly others: number;
}

/**
 * Scores a log in Cabrillo or ADIF.
 *
 * Of a log in ADIF, contacts count that have the contest's CONTEST_ID; without any of it, all. They are those of one edition of
 * the contest, by its duration.
 *
 * @throws {ValueError} No rule is of the log's contest, several are, or the log has no own call.
 * @example
 * const log = await readLog(`START-OF-LOG: 3.0
 * CONTEST: CQ-WW-CW
 * CALLSIGN: DH1TW
 * QSO: 14025 CW 2024-11-23 0001 DH1TW 599 14 W1AW 599 05
 * QSO: 14025 CW 2024-11-23 0002 DH1TW 599 14 K1AA 599 05
 * END-OF-LOG:`);
 * const { score, total } = scoreContestLog(log, { table: await loadEmbeddedCountryFile() });
 * score.multipliers; // => { cq_zone: 1, cq_country: 1 }
 * total; // => 12
 */
export function scoreContestLog(log: Log, options: ScoreContestLogOptions = {}): ContestLogScore {
  const header = headerValues(log.header.text.split("\n"));
  const rule = chooseRule(header.get("CONTEST") || contestIds(log), options.rules);
  const { qsos, others } = contestContacts(log, rule, options.day);
  const call = options.my?.call ?? (header.get("CALLSIGN") || ownCallOf(log)) ?? "";
  if (call === "") throw new ValueError({ argument: "log", value: call, expected: "a log with an own call" });
  const contest = createContest(rule, {
    my: { ...options.my, call },
    table: options.table,
    lists: options.lists,
    at: firstMoment(qsos),
  });
  const contacts: ScoredContact[] = [];
  let ignored = 0;
  for (const qso of qsos) {
    if (isIgnored(qso)) ignored++;
    else contacts.push(scoreQso(qso, contest));
  }
  addQtcs(log, call, contest);
  const score = contest.score();
  const claimed = Number(header.get("CLAIMED-SCORE")?.replaceAll(/[ ,.]/g, "") || Number.NaN);
  return {
    rule,
    call: call.toUpperCase(),
    score,
    total: (rule.factors ?? []).reduce(
      (total, factor) => (applies(factor.header, header) ? total * factor.by : total),
      score.total,
    ),
    ...(Number.isFinite(claimed) && { claimed }),
    contacts,
    ignored,
    others,
  };
}

/**
 * The rule of a contest.
 *
 * @param name CONTEST of Cabrillo, or the values of CONTEST_ID in a log in ADIF, of which one has to have a rule.
 * @throws {ValueError} No rule has it, or several have.
 */
export function chooseRule(
  name: string | readonly string[],
  rules: ContestRule | readonly ContestRule[] = CONTEST_RULES,
): ContestRule {
  if (!isList(rules)) return rules;
  const names = typeof name === "string" ? [name.toUpperCase()] : name;
  const [found, another] = new Set(
    names.flatMap((each) => rules.find(({ contests }) => contests.includes(each)) ?? []),
  );
  if (found !== undefined && another === undefined) return found;
  const expected =
    found === undefined
      ? `a contest with rules: ${rules.flatMap(({ contests }) => contests).join(", ")}`
      : "one contest with rules: choose that of one";
  throw new ValueError({ argument: "CONTEST", value: names.join(", "), expected });
}

function isList(rules: ContestRule | readonly ContestRule[]): rules is readonly ContestRule[] {
  return Array.isArray(rules);
}

function ownCallOf({ qsos: [first] }: Log): string | undefined {
  return first && (fieldValue(first, "STATION_CALLSIGN") ?? fieldValue(first, "OPERATOR"));
}

function isIgnored(qso: Qso): boolean {
  return /^X-QSO/i.test(fieldValue(qso, LINE_FIELD) ?? "");
}

function scoreQso(qso: Qso, contest: Contest): ScoredContact {
  const line = fieldValue(qso, LINE_FIELD);
  const source = line === undefined ? undefined : parseQsoLine(line);
  const call = fieldValue(qso, "CALL") ?? "";
  const band = bandOfRecord(fieldValue(qso, "BAND"), fieldValue(qso, "FREQ"));
  const mode = source?.mode ?? fieldValue(qso, "MODE") ?? fieldValue(qso, "SUBMODE") ?? "";
  const received = source?.received ?? exchangeOf(qso, contest.fieldsFrom({ call }));
  const time = (fieldValue(qso, "QSO_DATE") ?? "") + (fieldValue(qso, "TIME_ON") ?? "").slice(0, 4);
  return { line: qso.line, call, band, mode, time, ...contest.add({ call, band, mode, received }) };
}

/** QTC lines: kHz, mode, date, time, receiver, series, sender, and what is reported. */
function addQtcs({ header }: Log, ownCall: string, contest: Contest): void {
  for (const line of header.text.split("\n")) {
    const [, khz = "", mode = "", , , receiver = "", , sender = ""] =
      /^\s*QTC:\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)/i.exec(line) ?? [];
    if (khz === "") continue;
    const isReceived = receiver.toUpperCase() === ownCall.toUpperCase();
    contest.addQtc({
      call: isReceived ? sender : receiver,
      band: bandOfCabrillo(khz)?.band ?? "",
      mode,
      direction: isReceived ? "received" : "sent",
    });
  }
}

function applies(
  wanted: Readonly<Record<string, readonly string[]>>,
  header: ReadonlyMap<string, string>,
): boolean {
  return Object.entries(wanted).every(([tag, values]) =>
    values.includes((header.get(tag.toUpperCase()) ?? "").toUpperCase()),
  );
}
