/** `hamkit locator`: converts coordinates to a locator, and a locator to coordinates. */
import { Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import type { Session, Report } from "../../session.js";
import {
  latlongToLocator,
  locatorToLatlong,
  type LocatorPrecision,
  type Position,
} from "../../../locator.js";
import { zonesAt, type Zones } from "../../../zones/zones-at.js";
import {
  problemOf,
  UsageError,
  errorLines,
  isFailure,
  worstExitCode,
  type QueryResult,
} from "../../exit-code.js";
import { coordinatesOf, parsePosition, splitCoordinates } from "../../input/coordinates.js";
import { readLines } from "../../input/input-lines.js";
import { positionText, zoneText } from "../../terminal/geo-text.js";
import { layOutCard, layOutTable, type Column } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit locator 48.52 9.375", shows: "the locator of coordinates, 6 characters" },
  { line: "hamkit locator -33.9 18.4 --precision 10", shows: "south and west are negative" },
  { line: "hamkit locator 33.9S 18.4E", shows: "hemispheres as letters" },
  { line: "hamkit locator 48°31'N 9°22'E", shows: "degrees and minutes" },
  { line: "hamkit locator - --json < places.txt", shows: "one place per line, JSON output" },
  { line: "hamkit locator JN48QM", shows: "the coordinates of a locator" },
];

export function defineLocatorCommand(command: Command, session: Session): void {
  command
    .description(
      "Converts coordinates to a Maidenhead locator, or a locator to the coordinates of its center and corner.",
    )
    .usage("[options] <latitude> <longitude>\n       hamkit locator [options] <locator>")
    .argument(
      "<locator or coordinates...>",
      "a locator, or degrees of latitude and longitude; - reads them from standard input",
    )
    .addOption(
      new Option("--precision <characters>", "length of the locator; default 6").choices([
        "4",
        "6",
        "8",
        "10",
      ]),
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (words: string[], options: LocatorOptions) => {
      session.present(await reportLocator(words, options, session), options);
    });
}

interface LocatorOptions {
  readonly json?: boolean;
  readonly precision?: "4" | "6" | "8" | "10";
}

/** A rectangle of the locator grid. */
export interface Square {
  readonly locator: string;
  readonly center: Position;
  readonly corner: Position;
}

type KnownSquare = Square & { readonly input: string };

/**
 * The locator of a latitude and a longitude, or the coordinates of a locator; "-" stands for those on standard input, one place
 * per line.
 *
 * @throws {LocatorError} A single argument is not a locator.
 * @throws {ValueError} @throws {PositionError} Two arguments are not coordinates.
 * @throws {UsageError} The arguments are neither a locator, nor a latitude and a longitude, nor "-".
 */
async function reportLocator(
  words: readonly string[],
  { precision }: LocatorOptions,
  session: Session,
): Promise<Report> {
  if (words.includes("-")) {
    if (words.length > 1)
      throw new UsageError("- reads all places from standard input: no other argument is allowed");
    return reportLines(await readLines(session.io.stdin()), precision, session);
  }
  const coordinates = coordinatesOf(words);
  if (coordinates !== undefined) {
    const square = squareAt(coordinates, precision);
    return documented(square, () => [square.locator]);
  }
  const [text = ""] = words;
  if (precision !== undefined)
    throw new UsageError(`--precision: expected a latitude and a longitude, got ${JSON.stringify(text)}`);
  const square = squareOf(text);
  return documented(square, () => locatorCard(square, session));
}

function documented(square: Square, lines: Report["lines"]): Report {
  return {
    get document() {
      return withZones(square);
    },
    lines,
  };
}

/** Locator, center, corner and zones as a card. */
export function locatorCard({ locator, center, corner }: Square, { ink }: Session): string[] {
  const { cqz, ituz } = zonesAt(locator);
  return layOutCard(
    locator,
    [
      ["Center", positionText(center, DIGITS)],
      ["South-western corner", positionText(corner, DIGITS)],
      ["CQ zone", zoneText(cqz)],
      ["ITU zone", zoneText(ituz)],
    ],
    ink,
  );
}

/** With the zones of which a part is inside. Only where they are shown: reading the borders takes 30 ms. */
export function withZones<Plain extends Square>(square: Plain): Plain & Zones {
  return { ...square, ...zonesAt(square.locator) };
}

/** The rectangle of a locator in any case. */
export function squareOf(text: string): Square {
  const locator = text.trim().toUpperCase();
  return {
    locator,
    center: positionOf(locatorToLatlong(locator)),
    corner: positionOf(locatorToLatlong(locator, false)),
  };
}

const PRECISIONS: Readonly<Record<"4" | "6" | "8" | "10", LocatorPrecision>> = { 4: 4, 6: 6, 8: 8, 10: 10 };

function squareAt(
  [first, second]: readonly [string, string],
  precision: LocatorOptions["precision"] = "6",
): Square {
  const { latitude, longitude } = parsePosition(first, second);
  return squareOf(latlongToLocator(latitude, longitude, PRECISIONS[precision]));
}

/** The places of lines; a line that is none keeps its place with the reason. */
function reportLines(
  lines: readonly string[],
  precision: LocatorOptions["precision"],
  { ink, io }: Session,
): Report {
  const places = lines.map((input) => placeOf(input, precision));
  const rows = places.map((place) =>
    isFailure(place) ? { first: place.input, remark: place.error.message } : { row: place },
  );
  return {
    get document() {
      return { places: places.map((place) => (isFailure(place) ? place : withZones(place))) };
    },
    lines: () =>
      rows.length === 0 ? [] : layOutTable(rows, COLUMNS, { ink, width: io.stdout.columns }).lines,
    errors: errorLines(places, "places"),
    exitCode: worstExitCode(places),
  };
}

function placeOf(input: string, precision: LocatorOptions["precision"]): QueryResult<KnownSquare> {
  try {
    const coordinates = splitCoordinates(input);
    return { input, ...(coordinates === undefined ? squareOf(input) : squareAt(coordinates, precision)) };
  } catch (failure) {
    return { input, error: problemOf(failure) };
  }
}

const COLUMNS: readonly Column<KnownSquare>[] = [
  { title: "Place", cell: ({ input }) => input },
  { title: "Locator", cell: ({ locator }) => locator },
  { title: "Center", cell: ({ center }) => positionText(center, DIGITS) },
  { title: "South-western corner", cell: ({ corner }) => positionText(corner, DIGITS), dispensable: 1 },
];

/** Decimal places of a degree: 0.1 m; the rectangles of the finest locators have 19 m. */
const DIGITS = 6;

function positionOf([latitude, longitude]: readonly [number, number]): Position {
  return { latitude, longitude };
}
