/** The contacts of one contest in a log, which may have others: a log in ADIF is often that of years. */
import { ValueError } from "../../errors.js";
import { fieldValue, type Log, type Qso } from "../../logs/log.js";
import type { ContestRule } from "../rules/contest-rule.js";

/** The contacts of a contest. */
export interface ContestContacts {
  readonly qsos: readonly Qso[];
  /** Number of those of other contests, of none, and of other years. */
  readonly others: number;
}

/** CONTEST_ID of the contacts, in upper case, in the order of appearance. */
export function contestIds({ qsos }: Log): readonly string[] {
  return Array.from(new Set(qsos.flatMap((qso) => fieldValue(qso, "CONTEST_ID")?.toUpperCase() ?? [])));
}

/**
 * All contacts of a Cabrillo file; of other logs those with the contest's CONTEST_ID, if any have it, from one edition of it.
 *
 * @param day A day of that edition, `2024-11-23`; the last one when left out.
 * @throws {ValueError} No edition has that day.
 */
export function contestContacts(log: Log, rule: ContestRule, day?: string): ContestContacts {
  if (log.format === "cabrillo") return { qsos: log.qsos, others: 0 };
  const named = log.qsos.filter((qso) =>
    rule.contests.includes(fieldValue(qso, "CONTEST_ID")?.toUpperCase() ?? ""),
  );
  const candidates = named.length > 0 ? named : log.qsos;
  const edition = chooseEdition(editionsOf(candidates, rule), day);
  const qsos = candidates.filter((qso) => {
    const moment = momentOf(qso);
    return Number.isNaN(moment) || (moment >= edition.first && moment <= edition.last);
  });
  return { qsos, others: log.qsos.length - qsos.length };
}

interface Edition {
  readonly first: number;
  last: number;
}

const HOUR_MS = 3_600_000;

/** Contacts not further apart than a contest lasts. */
function editionsOf(qsos: readonly Qso[], { durationHours = Infinity }: ContestRule): readonly Edition[] {
  const moments = qsos.map(momentOf).filter((moment) => !Number.isNaN(moment));
  const editions: Edition[] = [];
  for (const moment of moments.sort((a, b) => a - b)) {
    const edition = editions.at(-1);
    if (edition !== undefined && moment - edition.first <= durationHours * HOUR_MS) edition.last = moment;
    else editions.push({ first: moment, last: moment });
  }
  return editions;
}

function chooseEdition(editions: readonly Edition[], day: string | undefined): Edition {
  if (day === undefined) return editions.at(-1) ?? { first: 0, last: 0 };
  const found = editions.find(({ first, last }) => dayOf(first) <= day && day <= dayOf(last));
  if (found !== undefined) return found;
  const days = editions.map(({ first }) => dayOf(first)).join(", ") || "none";
  throw new ValueError({
    argument: "day",
    value: day,
    expected: `a day of the contest; the log has: ${days}`,
  });
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

/** The first moment with a date; `undefined` without one. */
export function firstMoment(qsos: readonly Qso[]): Date | undefined {
  for (const qso of qsos) {
    const moment = momentOf(qso);
    if (!Number.isNaN(moment)) return new Date(moment);
  }
  return undefined;
}

function momentOf(qso: Qso): number {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(fieldValue(qso, "QSO_DATE") ?? "") ?? [];
  const [, hour = "00", minute = "00"] = /^(\d\d)(\d\d)/.exec(fieldValue(qso, "TIME_ON") ?? "") ?? [];
  return Date.parse(`${year}-${month}-${date}T${hour}:${minute}Z`);
}
