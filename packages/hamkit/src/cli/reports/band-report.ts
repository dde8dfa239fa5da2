/** The output of `hamkit band`: a card or a table, or JSON. */
import { findBand, freqToBand, listBands, type BandResult, type IaruRegion } from "../../frequency.js";
import { errorLines, isFailure, worstExitCode, type QueryResult } from "../query-result.js";
import { problemOf } from "../exit-code.js";
import { withInputLines } from "../input/input-lines.js";
import { joinUnits, lacksUnit, parseKilohertz } from "../input/parse-frequency.js";
import type { Report, Session } from "../session.js";
import { layOutCard, layOutTable, type Column } from "../terminal/text-table.js";

export interface BandOptions {
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
export async function reportBands(
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
