/** Values of enumerations. */
import type { AdifEnumerationName } from "../tables/table-types.js";
import { bandAt } from "./number-rules.js";
import { entryOf, isEnumeration } from "./enumeration-index.js";
import { fault, type FieldValue, type Fault } from "./fault.js";
import { modeFault } from "./mode-rules.js";
import { outdatedFault } from "./outdated-value.js";
import { countyFault, stateFault } from "./subdivision-rules.js";

export function enumerationFault(at: FieldValue): Fault | undefined {
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
