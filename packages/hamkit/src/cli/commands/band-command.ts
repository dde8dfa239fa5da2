/** `hamkit band`: band and mode of frequencies. */
import { Option, type Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import type { Session, Report } from "../session.js";
import { findBand, freqToBand, listBands, type BandResult, type IaruRegion } from "../../frequency.js";
import { errorLines, isFailure, worstExitCode, type QueryResult, problemOf } from "../exit-code.js";
import { withInputLines } from "../input/input-lines.js";
import { layOutCard, layOutTable, type Column } from "../terminal/text-table.js";
import { joinUnits, lacksUnit, parseKilohertz } from "../input/frequency.js";

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
