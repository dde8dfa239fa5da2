/** The faults of a record: of each field by its data type, and contradictions between fields. */
import type { AdifRecord } from "../parse-adif.js";
import { FIELDS } from "../tables/generated/field-table.js";
import type { AdifField, AdifEnumerationName } from "../tables/table-types.js";
import {
  entryOf,
  isEnumeration,
  fault,
  type Fault,
  type FieldValue,
  type ValueRule,
  outdatedFault,
} from "./fault.js";
import { submodeFault, modeFault } from "./mode-rules.js";
import { bandAt, integerFault, isPositiveNumber, numberFault } from "./number-rules.js";
import { usCountyFault, countyFault, stateFault } from "./subdivision-rules.js";
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

let byName: ReadonlyMap<string, AdifField> | undefined;

/** A field of ADIF by its name in upper case. */
export function fieldNamed(name: string): AdifField | undefined {
  byName ??= new Map(FIELDS.map((field) => [field.name, field]));
  return byName.get(name);
}

/** All faults of a record. Empty values have none: they mean that a value is missing. */
export function faultsOf(record: AdifRecord): Fault[] {
  const faults: Fault[] = [];
  for (const name of Object.keys(record)) {
    const value = record[name] ?? "";
    const field = fieldNamed(name);
    if (field === undefined || value === "") continue;
    const found = valueFault({ field, value, record });
    if (found !== undefined) faults.push(found);
  }
  faults.push(...contradictions(record));
  return faults;
}

function valueFault(at: FieldValue): Fault | undefined {
  const rule = text.isCallField(at.field.name) ? text.callFault : BY_NAME[at.field.name];
  return (rule ?? BY_TYPE[at.field.type])?.(at);
}

/** An import-only field; its value moves to the field that replaced it, if that is free. */
function renamedFault(at: FieldValue, to: string): Fault {
  const { field, value, record } = at;
  const isFree = (record[to] ?? value) === value;
  const fix = isFree ? { [field.name]: undefined, [to]: value } : undefined;
  const rule = `old-name-${field.name.toLowerCase()}`;
  return fault(at, { level: "info", rule, expected: `written today: the field is named ${to}`, fix });
}

/** Band and frequency must agree; a band that is missing follows from the frequency. */
function contradictions(record: AdifRecord): Fault[] {
  return [
    ["BAND", "FREQ"],
    ["BAND_RX", "FREQ_RX"],
  ].flatMap(([bandName = "", frequencyName = ""]) => {
    const value = record[frequencyName] ?? "";
    const expected = isPositiveNumber(value) ? bandAt(Number(value)) : undefined;
    if (expected === undefined) return [];
    const band = record[bandName]?.trim() ?? "";
    // BAND_RX is only written where it differs from BAND.
    if (band === "" && bandName === "BAND_RX") return [];
    if (band === "") {
      const message = `${bandName}: missing; ${frequencyName} ${value} MHz is in ${expected}`;
      return [
        { level: "warning", rule: "band-missing", field: bandName, message, fix: { [bandName]: expected } },
      ];
    }
    const listed = entryOf("Band", band)?.code;
    if (listed === undefined || listed === expected) return [];
    const message = `${bandName}: ${band}, but ${frequencyName} ${value} MHz is in ${expected}`;
    return [{ level: "warning", rule: "band-frequency-conflict", field: bandName, message }];
  });
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
  return value === at.value ? undefined : fault(at, { rule: "date-form", expected: DATE, to: value });
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
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isReal || Number(year) < 1930) return undefined;
  return `${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`;
}

function timeFault(at: FieldValue): Fault | undefined {
  const digits = timeDigits(at.value.trim());
  if (digits === undefined) return fault(at, { level: "error", rule: "time-form", expected: TIME });
  if (!/^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?$/.test(digits))
    return fault(at, { level: "error", rule: "time-impossible", expected: TIME });
  return digits === at.value ? undefined : fault(at, { rule: "time-form", expected: TIME, to: digits });
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
  const to = entryOf(enumeration, trimmed) === undefined ? undefined : trimmed;
  const level = to === undefined ? "error" : "warning";
  return fault(at, { level, rule: "enumeration-value", expected: `a value of ${enumeration}`, to });
}

function bandFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  if (entryOf("Band", value) !== undefined) return undefined;
  const expected = "a band such as 20m";
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
