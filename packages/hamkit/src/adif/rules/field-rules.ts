/** The faults of a record: of each field by its data type, and contradictions between fields. */
import type { AdifRecord } from "../record-collector.js";
import { FIELDS } from "../tables/generated/field-table.js";
import type { AdifField } from "../tables/table-types.js";
import { dateFault, timeFault } from "./date-time-rules.js";
import { entryOf } from "./enumeration-index.js";
import { enumerationFault } from "./enumeration-rules.js";
import { fault, type Fault, type FieldValue, type ValueRule } from "./fault.js";
import { submodeFault } from "./mode-rules.js";
import { bandAt, integerFault, isPositiveNumber, numberFault } from "./number-rules.js";
import * as place from "./place-rules.js";
import { usCountyFault } from "./subdivision-rules.js";
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
