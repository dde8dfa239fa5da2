/** The entries of log XML, and their dates. Both readers, by layout and by parser, produce them. */
import type { Moment, Period } from "../lookup/source.js";
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

/** The elements of an entry except call and period. Entries with the same elements may share them. */
export type Facts = Readonly<Partial<Record<FactName, string>>>;

/** Elements of the entries of all sections. */
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

export interface LogXmlEntry {
  readonly section: SectionName;
  /** Its number in the section; entities have none. */
  readonly id: number | undefined;
  /** The call or prefix in upper case; "" for entities. */
  readonly call: string;
  readonly period: Period;
  readonly facts: Facts;
}

/** Receives the entries of a file in their order. */
export interface LogXmlSink {
  entry(entry: LogXmlEntry): void;
  /** Reports an unusable entry. */
  fault(section: SectionName, problem: string): void;
  /** The date of the file. */
  date(text: string): void;
}

/** The reason why an entry is unusable. */
export class EntryFault extends Error {}

const LONG_MONTHS = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])";
const SHORT_MONTHS = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)";
const TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

/** A pattern of dates such as `2013-11-15T00:00:00+00:00`; `february` is the pattern of the days in February. */
export function datePattern(february: string): string {
  return `[0-9]{4}-(?:${LONG_MONTHS}|${SHORT_MONTHS}|${february})T${TIME}`;
}

const DATE = new RegExp(`^${datePattern("02-(?:0[1-9]|[12][0-9])")}$`);

/** Whether a text is a date of this pattern that exists. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapYear || !text.startsWith("02-29", 5);
}

/** @throws {EntryFault} The text is not a date. */
function momentOf(text: string): Moment {
  if (isDate(text)) return Date.parse(text);
  throw new EntryFault(`expected a date such as 2013-11-15T00:00:00+00:00, found ${showValue(text)}`);
}

/**
 * The period between two dates, each of which may be absent.
 *
 * @throws {EntryFault} One of them is not a date.
 */
export function periodOf(start: string | undefined, end: string | undefined): Period {
  return {
    start: start === undefined ? undefined : momentOf(start),
    end: end === undefined ? undefined : momentOf(end),
  };
}
