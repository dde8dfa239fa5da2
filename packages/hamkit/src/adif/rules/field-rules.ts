/** The faults of a record: of each field by its data type. record-rules.ts has the contradictions between fields. */
import type { AdifRecord } from "../parse-adif.js";
import { FIELDS } from "../tables/generated/field-table.js";
import type { AdifField, AdifEnumerationName } from "../tables/table-types.js";
import {
  codeOfWord,
  entryOf,
  isEnumeration,
  fault,
  type Fault,
  type FieldValue,
  type ValueRule,
  outdatedFault,
} from "./fault.js";
import { submodeFault, modeFault } from "./mode-rules.js";
import { bandAt, integerFault, numberFault } from "./number-rules.js";
import { CONTRADICTIONS } from "./record-rules.js";
import { alternativeCountyFault, usCountyFault, countyFault, stateFault } from "./subdivision-rules.js";
import * as place from "./place-rules.js";
import * as text from "./text-rules.js";

const BY_TYPE: Readonly<Record<string, ValueRule>> = {
  Boolean: text.booleanFault,
  Character: text.characterFault,
  CreditList: text.creditFault,
  Date: dateFault,
  Digit: text.characterFault,
  Enumeration: enumerationFault,
  GridSquare: place.gridFault,
  GridSquareExt: place.gridExtensionFault,
  GridSquareList: place.gridListFault,
  IOTARefNo: place.iotaFault,
  Integer: integerFault,
  IntlMultilineString: text.multilineFault,
  IntlString: text.stringFault,
  Location: place.locationFault,
  MultilineString: text.multilineFault,
  Number: numberFault,
  POTARef: place.potaFault,
  POTARefList: place.potaFault,
  PositiveInteger: integerFault,
  SOTARef: place.sotaFault,
  SecondaryAdministrativeSubdivisionListAlt: alternativeCountyFault,
  SecondarySubdivisionList: (at) =>
    at.value
      .split(":")
      .map((county) => usCountyFault(at, county))
      .find(Boolean),
  SponsoredAwardList: text.sponsoredAwardFault,
  String: text.stringFault,
  Time: timeFault,
  WWFFRef: place.wwffFault,
};

const BY_NAME: Readonly<Record<string, ValueRule>> = {
  CONTEST_ID: text.contestFault,
  COUNTRY: text.countryFault,
  MY_COUNTRY: text.countryFault,
  SUBMODE: submodeFault,
  GUEST_OP: (at) => renamedFault(at, "OPERATOR"),
  VE_PROV: (at) => renamedFault(at, "STATE"),
};

/** A field with its rule. */
interface RuledField {
  readonly field: AdifField;
  readonly rule: ValueRule | undefined;
}

let byName: ReadonlyMap<string, RuledField> | undefined;

function ruledField(name: string): RuledField | undefined {
  byName ??= new Map(FIELDS.map((field) => [field.name, { field, rule: ruleOf(field) }]));
  return byName.get(name);
}

function ruleOf({ name, type }: AdifField): ValueRule | undefined {
  return text.isCallField(name) ? text.callFault : (BY_NAME[name] ?? BY_TYPE[type]);
}

/** A field of ADIF by its name in upper case. */
export function fieldNamed(name: string): AdifField | undefined {
  return ruledField(name)?.field;
}

/**
 * All faults of a record. Empty values have none: they mean that a value is missing.
 *
 * @param lastDay The last day, as YYYYMMDD, that is not in the future; any when left out.
 */
export function faultsOf(record: AdifRecord, lastDay?: string): Fault[] {
  const faults: Fault[] = [];
  const names = Object.keys(record);
  for (const name of names) {
    const value = record[name] ?? "";
    const ruled = ruledField(name);
    if (ruled?.rule === undefined || value === "") continue;
    const at: FieldValue = { field: ruled.field, value, record, lastDay };
    const found = ruled.rule(at);
    if (found !== undefined) faults.push(text.controlFault(at) ?? found);
  }
  // By the fields that the record has: most have none of these.
  for (const name of names) {
    const found = CONTRADICTIONS.get(name)?.(record, name);
    if (found !== undefined) faults.push(found);
  }
  return faults;
}

/** An import-only field; its value moves to the field that replaced it, if that is free. */
function renamedFault(at: FieldValue, to: string): Fault {
  const { field, value, record } = at;
  const isFree = (record[to] ?? value) === value;
  const fix = isFree ? { [field.name]: undefined, [to]: value } : undefined;
  const rule = `old-name-${field.name.toLowerCase()}`;
  return fault(at, { level: "info", rule, expected: `written today: the field is named ${to}`, fix });
}

const DATE = "a date as YYYYMMDD, from 1930";
const TIME = "a time as HHMM or HHMMSS";

function dateFault(at: FieldValue): Fault | undefined {
  const value = at.value.trim();
  if (/^\d{8}$/.test(value)) return compactDateFault(at, value);
  if (/^\d{6}$/.test(value)) return fault(at, { rule: "date-two-digit-year", expected: DATE });
  const [, year = "", month = "", day = ""] = /^(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})$/.exec(value) ?? [];
  if (year !== "") {
    const to = dateOf(year, month, day);
    return fault(at, { level: to ? "warning" : "error", rule: "date-with-separators", expected: DATE, to });
  }
  return dayFirstFault(at, value) ?? fault(at, { level: "error", rule: "date-form", expected: DATE });
}

function compactDateFault(at: FieldValue, value: string): Fault | undefined {
  const [year, month, day] = [value.slice(0, 4), value.slice(4, 6), value.slice(6)];
  if (dateOf(year, month, day) === undefined) {
    const isOld = Number(year) < 1930 && dateOf("2000", month, day) !== undefined;
    return fault(at, {
      level: "error",
      rule: isOld ? "date-before-1930" : "date-impossible",
      expected: DATE,
    });
  }
  if (value !== at.value) return fault(at, { rule: "date-form", expected: DATE, to: value });
  return at.lastDay === undefined || value <= at.lastDay
    ? undefined
    : fault(at, { rule: "date-in-future", expected: `a day of a QSO: it is after ${at.lastDay}` });
}

/** A date with the year last: repaired if only one of its numbers can be the month, or both are equal. */
function dayFirstFault(at: FieldValue, value: string): Fault | undefined {
  const [, first = "", second = "", year = ""] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/.exec(value) ?? [];
  if (year === "") return undefined;
  const dates = new Set([dateOf(year, second, first), dateOf(year, first, second)]);
  dates.delete(undefined);
  const [to] = dates;
  if (dates.size === 1) {
    const rule = dateOf(year, second, first) === undefined ? "date-month-first" : "date-day-first";
    return fault(at, { rule, expected: DATE, to });
  }
  if (dates.size === 0) return fault(at, { level: "error", rule: "date-impossible", expected: DATE });
  return fault(at, { rule: "date-ambiguous", expected: `${DATE}: day and month can't be told apart` });
}

function dateOf(year: string, month: string, day: string): string | undefined {
  const isReal = Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month));
  if (!isReal || Number(year) < 1930) return undefined;
  return `${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days of a month, from 1; 0 of another number. */
function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

function timeFault(at: FieldValue): Fault | undefined {
  const digits = timeDigits(at.value.trim());
  if (digits === undefined)
    return twelveHourFault(at) ?? fault(at, { level: "error", rule: "time-form", expected: TIME });
  if (!/^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?$/.test(digits))
    return fault(at, { level: "error", rule: "time-impossible", expected: TIME });
  return digits === at.value ? undefined : fault(at, { rule: "time-form", expected: TIME, to: digits });
}

/** `9:05 PM`, `0905pm`, `12:30:15 a.m.`: a time of the day's first or second half. */
function twelveHourFault(at: FieldValue): Fault | undefined {
  const [, clock = "", half = ""] = /^(.*\d)\s*([ap])\.?m\.?$/i.exec(at.value.trim()) ?? [];
  const digits = timeDigits(clock) ?? timeDigits(`${clock}00`);
  if (half === "" || digits === undefined) return undefined;
  const hour = Number(digits.slice(0, 2));
  const rule = "time-12-hour";
  // 13:05 PM is no such time, and 0:30 may be meant for 12:30.
  if (hour < 1 || hour > 12) return fault(at, { level: "error", rule, expected: TIME });
  const after = (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return fault(at, { rule, expected: TIME, to: String(after).padStart(2, "0") + digits.slice(2) });
}

/** The digits of a time: also of `905`, `9:05`, `12:00:30Z`, `1200Z`, `12:00:30.5`. */
function timeDigits(value: string): string | undefined {
  const [, hour = "", minute = "", second = ""] =
    /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*(?:Z|UTC)?$/i.exec(value) ?? [];
  if (hour !== "") return hour.padStart(2, "0") + minute + second;
  const [, digits = ""] = /^(\d{3,6})\s*(?:Z|UTC)?$/i.exec(value) ?? [];
  if (digits === "") return undefined;
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

function enumerationFault(at: FieldValue): Fault | undefined {
  const { enumeration } = at.field;
  // DARC_DOK: the list of its values is that of the DARC, not of ADIF.
  if (!isEnumeration(enumeration)) return undefined;
  return (SPECIAL[enumeration] ?? plainFault)(at, enumeration);
}

type EnumerationRule = (at: FieldValue, enumeration: AdifEnumerationName) => Fault | undefined;

const SPECIAL: Readonly<Partial<Record<AdifEnumerationName, EnumerationRule>>> = {
  Band: bandFault,
  Mode: modeFault,
  Continent: continentFault,
  DXCC_Entity_Code: entityFault,
  Primary_Administrative_Subdivision: stateFault,
  Secondary_Administrative_Subdivision: countyFault,
};

function plainFault(at: FieldValue, enumeration: AdifEnumerationName): Fault | undefined {
  const entry = entryOf(enumeration, at.value);
  if (entry !== undefined) return outdatedFault(at, [entry], { enumeration });
  const trimmed = at.value.trim();
  const expected = `a value of ${enumeration}`;
  if (entryOf(enumeration, trimmed) !== undefined)
    return fault(at, { rule: "enumeration-value", expected, to: trimmed });
  const to = codeOfWord(enumeration, trimmed);
  return to === undefined
    ? fault(at, { level: "error", rule: "enumeration-value", expected })
    : fault(at, { rule: "enumeration-word", expected, to });
}

function bandFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  const listed = entryOf("Band", value)?.code;
  if (listed === value) return undefined;
  const expected = "a band such as 20m";
  if (listed !== undefined)
    return fault(at, { level: "none", rule: "band-in-upper-case", expected, to: listed });
  const compact = entryOf("Band", value.replaceAll(/\s/g, ""))?.code;
  if (compact !== undefined) return fault(at, { rule: "band-form", expected, to: compact });
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(MHZ)?$/i.exec(value.trim()) ?? [];
  if (number === undefined) return fault(at, { level: "error", rule: "band-unknown", expected });
  const byFrequency = bandOfMegahertz(number);
  const byLength = unit === undefined ? bandOfLength(number) : undefined;
  const logged = bandAt(Number(at.record[at.field.name.replace("BAND", "FREQ")]));
  if (byFrequency !== undefined && byLength === undefined) {
    // 24 may be short for 24 GHz.
    const to = logged === undefined || logged === byFrequency ? byFrequency : undefined;
    return fault(at, { rule: "band-in-mhz", expected, to });
  }
  if (byLength === undefined) return fault(at, { level: "error", rule: "band-unknown", expected });
  if (byFrequency === undefined)
    return fault(at, { rule: "band-form", expected, to: byLength.endsWith("cm") ? undefined : byLength });
  // 40 is 40m, but also a frequency in 8m: that of the QSO tells.
  const to = [byLength, byFrequency].find((band) => band === logged);
  return fault(at, {
    rule: "band-form",
    expected: `${expected}: it may be ${byLength} or ${byFrequency}`,
    to,
  });
}

/** The band that a number without a unit names by its wavelength: 20m of 20; 70cm of 70, which no one writes so. */
function bandOfLength(number: string): string | undefined {
  return (entryOf("Band", `${number}m`) ?? entryOf("Band", `${number}cm`))?.code;
}

/** The band that a number of MHz names: 14 is 20m; so are the customary 3.5 and 10, and 24, though 12m begins at 24.89. */
function bandOfMegahertz(number: string): string | undefined {
  if (Number(number) === 24) return "12m";
  const digits = number.includes(".") ? number.length - number.indexOf(".") - 1 : 0;
  const megahertz = Number(number);
  const step = 10 ** -digits;
  return bandAt(megahertz) ?? bandAt(megahertz + step / 8) ?? bandAt(megahertz + step * 0.4);
}

const CONTINENTS: Readonly<Record<string, string>> = {
  "NORTH AMERICA": "NA",
  "SOUTH AMERICA": "SA",
  EUROPE: "EU",
  AFRICA: "AF",
  OCEANIA: "OC",
  AUSTRALIA: "OC",
  ASIA: "AS",
  ANTARCTICA: "AN",
};

function continentFault(at: FieldValue): Fault | undefined {
  if (entryOf("Continent", at.value) !== undefined) return undefined;
  const to = CONTINENTS[at.value.trim().toUpperCase()] ?? entryOf("Continent", at.value.trim())?.code;
  const expected = "a continent: NA, SA, EU, AF, OC, AS or AN";
  return fault(at, { level: to ? "warning" : "error", rule: "cont-word", expected, to });
}

function entityFault(at: FieldValue): Fault | undefined {
  const code = at.value.trim().replace(/^0+(?=\d)/, "");
  const entry = entryOf("DXCC_Entity_Code", code);
  if (entry === undefined)
    return fault(at, { level: "error", rule: "dxcc-unknown", expected: "the code of a DXCC entity" });
  if (code !== at.value)
    return fault(at, { rule: "dxcc-leading-zeros", expected: "the code without leading zeros", to: code });
  if (entry.deleted !== true) return undefined;
  return fault(at, {
    level: "info",
    rule: "dxcc-deleted",
    expected: "a current entity; it counts for its time",
  });
}
