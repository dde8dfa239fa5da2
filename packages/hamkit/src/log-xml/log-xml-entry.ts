/** What log XML is made of, in whatever way it was read. */
import type { Moment, Period } from "../lookup/period.js";
import { showValue } from "../show-value.js";

/** The sections that are read; files may have others. */
export const SECTIONS = {
  entities: "entity",
  exceptions: "exception",
  prefixes: "prefix",
  invalid_operations: "invalid",
  zone_exceptions: "zone_exception",
} as const;

export type SectionName = keyof typeof SECTIONS;

/** What an entry tells beside its call and its period. Entries that tell the same may share it. */
export type Facts = Readonly<Partial<Record<FactName, string>>>;

/** Elements of all kinds of entry. */
export const FACT_NAMES = [
  "adif",
  "cont",
  "cqz",
  "deleted",
  "end",
  "entity",
  "lat",
  "long",
  "name",
  "prefix",
  "start",
  "whitelist",
  "whitelist_end",
  "whitelist_start",
  "zone",
] as const;

export type FactName = (typeof FACT_NAMES)[number];

/** One entry. */
export interface LogXmlEntry {
  readonly section: SectionName;
  /** Its number in the section; entities have none. */
  readonly id: number | undefined;
  /** The call or prefix, as tables have their keys; "" for entities. */
  readonly call: string;
  readonly period: Period;
  readonly facts: Facts;
}

/** Takes what a reader finds, in the order of the file. */
export interface LogXmlSink {
  entry(entry: LogXmlEntry): void;
  /** An entry that can't be used, and why. */
  fault(section: SectionName, problem: string): void;
  /** When the file was made, as it says itself. */
  date(text: string): void;
}

/** Why an entry can't be used. */
export class EntryFault extends Error {}

const LONG_MONTHS = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])";
const SHORT_MONTHS = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)";
const TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

/** A pattern of dates such as `2013-11-15T00:00:00+00:00`, with such days in February. */
export function datePattern(february: string): string {
  return `[0-9]{4}-(?:${LONG_MONTHS}|${SHORT_MONTHS}|${february})T${TIME}`;
}

const DATE = new RegExp(`^${datePattern("02-(?:0[1-9]|[12][0-9])")}$`);

/** Whether a text is such a date, of a day that there is in that year. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapYear || !text.startsWith("02-29", 5);
}

/** @throws {EntryFault} The text tells no moment. */
function momentOf(text: string): Moment {
  if (isDate(text)) return Date.parse(text);
  throw new EntryFault(`expected a moment such as 2013-11-15T00:00:00+00:00, found ${showValue(text)}`);
}

/**
 * The period between two texts, each of which may be left out.
 *
 * @throws {EntryFault} One of them is no moment.
 */
export function periodOf(start: string | undefined, end: string | undefined): Period {
  return {
    start: start === undefined ? undefined : momentOf(start),
    end: end === undefined ? undefined : momentOf(end),
  };
}
