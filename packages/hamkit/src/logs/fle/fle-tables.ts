/** Modes and their standard reports, and references of award programs, as fast log entry (FLE) names them. */
import { modeOfCabrillo } from "../cabrillo/cabrillo-tables.js";
import type { LogField } from "../log.js";

/** How a report is written: readability, strength and tone; readability and strength; decibels. */
type ReportForm = "rst" | "rs" | "db";

export interface FleMode {
  readonly mode: string;
  readonly submode?: string | undefined;
  /** Absent for modes whose reports FLE neither completes nor adds. */
  readonly report?: ReportForm | undefined;
}

/** The modes of FLE, by their reports. */
const MODES: readonly (readonly [words: string, report?: ReportForm])[] = [
  ["CW RTTY PSK", "rst"],
  ["SSB AM FM", "rs"],
  ["FT8 FSK441 ISCAT JT4 JT44 JT65 JT6M JT9 MSK144 QRA64 T10 WSPR", "db"],
  ["ARDOP ATV CHIP CLO CONTESTI DIGITALVOICE DOMINO FAX HELL MFSK MT63 OLIVIA OPERA PAC PAX PKT PSK2K"],
  ["Q15 ROS RTTYM SSTV THOR THRB TOR V4 VOI WINMOR"],
];
const MODES_BY_WORD: ReadonlyMap<string, FleMode> = new Map(
  MODES.flatMap(([words, report]) => words.split(" ").map((mode) => [mode, { mode, report }] as const)),
);

/** The mode of a word in upper case: a mode of FLE, or a submode such as FT4, USB or PSK31. */
export function modeOfFle(word: string): FleMode | undefined {
  const known = MODES_BY_WORD.get(word);
  if (known !== undefined) return known;
  const { mode, submode } = modeOfCabrillo(word) ?? {};
  return mode === undefined ? undefined : { mode, submode, report: MODES_BY_WORD.get(mode)?.report };
}

/** The report that a missing one stands for. */
const STANDARD_REPORTS: Readonly<Record<ReportForm, string>> = { rst: "599", rs: "59", db: "-10" };

/**
 * A report in full: `5` of CW is 559, `44` is 449; without a word the standard report of the mode.
 *
 * @returns "" for a mode without a standard report, `undefined` for a word that is no report of the mode.
 */
export function fullReport(word: string | undefined, form: ReportForm | undefined): string | undefined {
  if (word === undefined) return form === undefined ? "" : STANDARD_REPORTS[form];
  if (form === undefined || form === "db" || /^[+-]/.test(word)) return word;
  if (!/^(?:[1-9]|[1-5][1-9][1-9]?)$/.test(word)) return undefined;
  const strength = word.length === 1 ? `5${word}` : word;
  return form === "rst" && strength.length === 2 ? `${strength}9` : strength;
}

/** Award programs in the order in which their forms are tried: those of parks are the widest. */
const PROGRAMS = [
  { name: "WWFF", field: "WWFF_REF", form: /^[A-Z\d]{1,4}FF-\d{4}$/, example: "DLFF-0001", isSig: true },
  { name: "SOTA", field: "SOTA_REF", form: /^[A-Z\d]{1,8}\/[A-Z]{2}-\d{3}$/, example: "DM/BW-001" },
  { name: "IOTA", field: "IOTA", form: /^(?:AF|AN|AS|EU|NA|OC|SA)-\d{3}$/, example: "EU-005" },
  {
    name: "POTA",
    field: "POTA_REF",
    form: /^(?=\d*[A-Z])[A-Z\d]{1,4}-\d{4,5}(?:@[A-Z]{2}-[A-Z\d]{1,3})?$/,
    example: "DE-0001",
    isSig: true,
  },
] as const;

export type FleProgram = (typeof PROGRAMS)[number]["name"];

/** The program that a word names: `wwff`, `sota`, `pota`, `iota`. */
export function programNamed(word: string): FleProgram | undefined {
  return PROGRAMS.find(({ name }) => name === word)?.name;
}

/** A reference of a program, for messages. */
export function exampleOf(program: FleProgram): string {
  return PROGRAMS.find(({ name }) => name === program)?.example ?? "";
}

/** The program by the form of its references, which are separated by commas. */
export function programOfReferences(text: string): FleProgram | undefined {
  const references = text.split(",");
  return PROGRAMS.find(({ form }) => references.every((reference) => form.test(reference)))?.name;
}

/**
 * References as fields: those of ADIF, and the pair SIG and SIG_INFO, which WWFF and POTA take. A QSO has one such pair: that of
 * WWFF before that of POTA.
 *
 * @param own Whether they are the own station's.
 */
export function referenceFields(references: ReadonlyMap<FleProgram, string>, own: boolean): LogField[] {
  const prefix = own ? "MY_" : "";
  const fields: LogField[] = [];
  for (const program of PROGRAMS) {
    const value = references.get(program.name);
    if (value === undefined) continue;
    const hasSig = fields.some(({ name }) => name === `${prefix}SIG`);
    if ("isSig" in program && !hasSig)
      fields.push({ name: `${prefix}SIG`, value: program.name }, { name: `${prefix}SIG_INFO`, value });
    fields.push({ name: prefix + program.field, value });
  }
  return fields;
}

const LOCATOR = /^[A-R]{2}\d\d(?:[A-X]{2}(?:\d\d(?:[A-X]{2})?)?)?$/;

/** Whether a word in upper case is a locator of 4, 6, 8 or 10 characters. */
export function isLocatorWord(word: string): boolean {
  return LOCATOR.test(word);
}

/** A locator as fields: ADIF has the characters behind the eighth in a field of their own. */
export function locatorFields(locator: string, prefix: "" | "MY_"): LogField[] {
  const extension = locator.slice(8);
  return [
    { name: `${prefix}GRIDSQUARE`, value: locator.slice(0, 8) },
    ...(extension === "" ? [] : [{ name: `${prefix}GRIDSQUARE_EXT`, value: extension }]),
  ];
}
