/** `hamkit band`: band and mode of frequencies. */
import { Option, type Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import type { Session, Report } from "../session.js";
import { findBand, freqToBand, listBands, type BandResult, type IaruRegion } from "../../frequency.js";
import { errorLines, isFailure, worstExitCode, type QueryResult, problemOf } from "../exit-code.js";
import { withInputLines } from "../input/input-lines.js";
import { layOutCard, layOutTable, type Column } from "../terminal/text-table.js";
import { ValueError } from "../../errors.js";

const EXAMPLES = [
  { line: "hamkit band 14074", shows: "a frequency in kHz" },
  { line: "hamkit band 14.074MHz 10.368GHz", shows: "several, with units" },
  { line: "hamkit band 14.074.000", shows: "as a transceiver displays it" },
  { line: "hamkit band - --json < frequencies.txt", shows: "one frequency per line, JSON output" },
  { line: "hamkit band 7150 --region 2", shows: "by the band plan of the Americas" },
];

export function defineBandCommand(command: Command, session: Session): void {
  command
    .description("Shows the amateur band of a frequency, and its mode by the IARU band plans.")
    .argument(
      "<frequency...>",
      "in kHz, or with a unit: Hz, kHz, MHz, GHz or THz; - reads them from standard input",
    )
    .addOption(
      new Option(
        "--region <number>",
        "use edges and plan of this IARU region; default: all regions combined",
      ).choices(["1", "2", "3"]),
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (frequencies: string[], options: BandOptions) => {
      session.present(await reportBands(frequencies, options, session), options);
    });
}

interface BandOptions {
  readonly json?: boolean;
  readonly region?: "1" | "2" | "3";
}

/** A frequency in an amateur band. */
interface KnownFrequency extends BandResult {
  /** The frequency as it was given. */
  readonly input: string;
  readonly khz: number;
  /** Edges of the band in kHz. */
  readonly lower: number;
  readonly upper: number;
}

/** The bands of frequencies; "-" stands for those on standard input. */
async function reportBands(
  words: readonly string[],
  options: BandOptions,
  session: Session,
): Promise<Report> {
  const region = options.region === undefined ? undefined : REGIONS[options.region];
  const frequencies = joinUnits(await withInputLines(words, session.io.stdin)).map((input) =>
    resultFor(input, region),
  );
  return {
    document: { region: region ?? null, frequencies },
    lines: () => textOf(frequencies, region, session),
    errors: errorLines(frequencies, "frequencies"),
    exitCode: worstExitCode(frequencies),
  };
}

const REGIONS: Readonly<Record<"1" | "2" | "3", IaruRegion>> = { 1: 1, 2: 2, 3: 3 };

function resultFor(input: string, region: IaruRegion | undefined): QueryResult<KnownFrequency> {
  const options = region === undefined ? {} : { region };
  let khz: number | undefined;
  try {
    khz = parseKilohertz(input);
    const result = freqToBand(khz, options);
    const { lower, upper } = listBands(options).find(({ adif }) => adif === result.adif) ?? {
      lower: khz,
      upper: khz,
    };
    return { input, khz, ...result, lower, upper };
  } catch (failure) {
    const { code, message } = problemOf(failure);
    return { input, error: { code, message: message + hintFor(input, khz) } };
  }
}

/** A hint for a number without a unit that is outside the bands in kHz, but inside in MHz or Hz. */
function hintFor(input: string, khz: number | undefined): string {
  if (khz === undefined || !lacksUnit(input)) return "";
  const unit = findBand(khz / 1e3) ? "Hz" : findBand(khz * 1e3) ? "MHz" : undefined;
  return unit === undefined ? "" : ` (did you mean ${input.trim()}${unit}?)`;
}

function textOf(
  frequencies: readonly QueryResult<KnownFrequency>[],
  region: IaruRegion | undefined,
  { ink, io }: Session,
): string[] {
  const plan = region === undefined ? "Edges by ADIF, modes by all IARU regions" : `By IARU region ${region}`;
  const [first] = frequencies;
  if (first === undefined) return [];
  if (frequencies.length === 1) {
    return isFailure(first)
      ? []
      : [...layOutCard(`${first.khz} kHz`, cardOf(first), ink), "", ink("dim", plan)];
  }
  const rows = frequencies.map((one) =>
    isFailure(one) ? { first: one.input, remark: one.error.message } : { row: one },
  );
  const { lines } = layOutTable(rows, COLUMNS, { ink, width: io.stdout.columns });
  return [...lines, "", ink("dim", plan)];
}

function cardOf(known: KnownFrequency): (readonly [label: string, value: string])[] {
  const mode = known.mode ?? "none: FM, beacons, satellites, or no segment plan";
  return [
    ["Band", known.adif],
    ["Edges", edgesText(known)],
    ["ITU range", known.itu],
    ["Mode", mode],
  ];
}

function edgesText({ lower, upper }: KnownFrequency): string {
  return `${lower} - ${upper} kHz`;
}

const COLUMNS: readonly Column<KnownFrequency>[] = [
  { title: "Frequency", cell: ({ khz }) => `${khz} kHz`, align: "right" },
  { title: "Band", cell: ({ adif }) => adif },
  { title: "Mode", cell: ({ mode }) => mode ?? "other" },
  { title: "ITU", cell: ({ itu }) => itu },
  { title: "Edges", cell: edgesText },
];

// Parses frequencies with optional units, as they are typed, pasted from documents, or shown by transceivers.

/** Digits with separators; what a separator means depends on the others. */
const NUMBER = /^(?:\d+(?:[.,]\d+)*|[.,]\d+)$/;
const UNIT = /^(?:hz|khz|mhz|ghz|thz)$/i;
const FREQUENCY = /^([\d.,]+)\s*(hz|khz|mhz|ghz|thz)?$/i;

/** "14,074.5": commas between thousands, a decimal point. */
const COMMA_THOUSANDS = /^\d{1,3}(?:,\d{3})+\.\d+$/;
/** "14.074,5": the same the other way round. */
const POINT_THOUSANDS = /^\d{1,3}(?:\.\d{3})+,\d+$/;
/** "14.074.000": the display of a transceiver in MHz, kHz and Hz, or tens of Hz. */
const DISPLAY = /^\d{1,3}(?:(?:\.\d{3})+\.\d{2,3}|(?:,\d{3})+,\d{2,3})$/;
const DECIMAL = /^\d*[.,]?\d+$/;
/** "14,074": a decimal comma, or a comma between thousands. */
const AMBIGUOUS = /^\d{1,3},\d{3}$/;

/** The units in kHz. */
const UNITS_KHZ: Readonly<Record<string, number>> = { hz: 1e-3, khz: 1, mhz: 1e3, ghz: 1e6, thz: 1e9 };

/** The unit of the first group of a display, by its number of groups. */
const DISPLAY_UNITS: Readonly<Record<number, string>> = { 3: "mhz", 4: "ghz", 5: "thz" };

/** Joins a separate unit to the number before it: "14.074", "MHz" is one frequency. */
function joinUnits(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before !== undefined && UNIT.test(word) && NUMBER.test(before))
      joined.splice(-1, 1, `${before} ${word}`);
    else joined.push(word);
  }
  return joined;
}

/**
 * A frequency in kHz, to the millihertz.
 *
 * Without a unit a number is in kHz, and one of three groups or more is what a transceiver displays: 14.074.000 is 14074 kHz.
 * A single comma is a decimal comma, but 14,074 is ambiguous without a unit, and so is 14,074kHz.
 *
 * @throws {ValueError} The text is not a frequency, or has two readings: the message names both.
 */
function parseKilohertz(text: string): number {
  const [, number = "", unit] = FREQUENCY.exec(text.trim()) ?? [];
  const khz = kilohertzOf(number, unit?.toLowerCase());
  if (khz !== undefined) return khz;
  const expected = ambiguity(number, unit) ?? "a frequency such as 14074, 14.074MHz or 10.368GHz";
  throw new ValueError({ argument: "frequency", value: text, expected });
}

/** Whether the text is a number without a unit, for a hint. */
function lacksUnit(text: string): boolean {
  return DECIMAL.test(text.trim());
}

function kilohertzOf(number: string, unit: string | undefined): number | undefined {
  if (DISPLAY.test(number)) return displayedKilohertz(number, unit);
  if (ambiguity(number, unit) !== undefined) return undefined;
  if (COMMA_THOUSANDS.test(number)) return inKilohertz(number.replaceAll(",", ""), unit);
  if (POINT_THOUSANDS.test(number)) return inKilohertz(number.replaceAll(".", "").replace(",", "."), unit);
  return DECIMAL.test(number) ? inKilohertz(number.replace(",", "."), unit) : undefined;
}

/** A display's number without a unit, or with that of its first or last group; `undefined` with another unit. */
function displayedKilohertz(number: string, unit: string | undefined): number | undefined {
  const groups = number.split(/[.,]/);
  const [first = "", ...rest] = groups;
  const firstUnit = DISPLAY_UNITS[groups.length];
  const isWholeHertz = rest.at(-1)?.length === 3;
  if (
    firstUnit === undefined ||
    !(unit === undefined || unit === firstUnit || (unit === "hz" && isWholeHertz))
  )
    return undefined;
  return inKilohertz(`${first}.${rest.join("")}`, firstUnit);
}

function inKilohertz(decimal: string, unit = "khz"): number | undefined {
  const factor = UNITS_KHZ[unit];
  // Binary fractions: 14.074 times 1000 is not quite 14074.
  return factor === undefined ? undefined : Math.round(Number(decimal) * factor * 1e6) / 1e6;
}

/** What was expected instead of a number with two readings; `undefined` for other numbers. */
function ambiguity(number: string, unit = "kHz"): string | undefined {
  // No amateur band is so high that the comma of "14,074MHz" could be one between thousands.
  if (!AMBIGUOUS.test(number) || !/^k?hz$/i.test(unit)) return undefined;
  const decimal = number.replace(",", ".");
  const whole = number.replace(",", "");
  return (
    `one frequency: ${decimal} ${unit} with a decimal comma, ${whole} ${unit} with a comma between thousands; ` +
    `write ${decimal}MHz or ${whole}kHz`
  );
}
