/** `hamkit zones`: CQ zone, ITU zone and DXCC entity of coordinates or a locator. */
import type { Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import type { Session, Report } from "../../session.js";
import { ENTITIES } from "../../../adif/tables/generated/entity-table.js";
import { entitiesAt, type PlaceEntities } from "../../../places/entities-at.js";
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
import { layOutCard, layOutTable, type Column } from "../../terminal/text-table.js";
import { zoneText } from "../../terminal/geo-text.js";

const EXAMPLES = [
  { line: "hamkit zones JN48QM", shows: "zones of a locator, all of which a part is inside" },
  { line: "hamkit zones 45.5 -110.2", shows: "zones of coordinates" },
  { line: "hamkit zones 48°31'N 9°22'E --json", shows: "as JSON" },
  { line: "hamkit zones - < places.txt", shows: "one place per line, as a table" },
];

export function defineZonesCommand(command: Command, session: Session): void {
  command
    .description(
      "Shows the CQ and ITU zones of a place and its DXCC entity, from borders on a map; several where a border is close.",
    )
    .usage("[options] <latitude> <longitude>\n       hamkit zones [options] <locator>")
    .argument(
      "<locator or coordinates...>",
      "a locator, or degrees of latitude and longitude; - reads them from standard input",
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (words: string[], options: ZonesOptions) => {
      session.present(await reportZones(words, session), options);
    });
}

interface ZonesOptions {
  readonly json?: boolean;
}

/** The zones and entities of a place. */
interface ZonedPlace extends Zones, PlaceEntities {
  readonly input: string;
}

/**
 * Zones and entity of a latitude and a longitude, or of a locator; "-" stands for those on standard input, one place per line.
 *
 * @throws {LocatorError} A single argument is not a locator.
 * @throws {ValueError} @throws {PositionError} Two arguments are not coordinates.
 * @throws {UsageError} The arguments are neither a locator, nor a latitude and a longitude, nor "-".
 */
async function reportZones(words: readonly string[], session: Session): Promise<Report> {
  if (!words.includes("-")) {
    const place = zonedPlace(words.join(" "), coordinatesOf(words));
    return { document: place, lines: () => cardOf(place, session) };
  }
  if (words.length > 1)
    throw new UsageError("- reads all places from standard input: no other argument is allowed");
  const places = (await readLines(session.io.stdin())).map(placeOfLine);
  const rows = places.map((place) =>
    isFailure(place) ? { first: place.input, remark: place.error.message } : { row: place },
  );
  return {
    document: { places },
    lines: () =>
      rows.length === 0
        ? []
        : layOutTable(rows, COLUMNS, { ink: session.ink, width: session.io.stdout.columns }).lines,
    errors: errorLines(places, "places"),
    exitCode: worstExitCode(places),
  };
}

function placeOfLine(input: string): QueryResult<ZonedPlace> {
  try {
    return zonedPlace(input, splitCoordinates(input));
  } catch (failure) {
    return { input, error: problemOf(failure) };
  }
}

function zonedPlace(input: string, coordinates: readonly [string, string] | undefined): ZonedPlace {
  const place = coordinates === undefined ? input.trim() : parsePosition(...coordinates);
  return { input, ...zonesAt(place), ...entitiesAt(place) };
}

function cardOf(place: ZonedPlace, { ink }: Session): string[] {
  const { input, cqz, ituz, nearest = [], reason } = place;
  const noted = (kind: "cqz" | "ituz"): string => (nearest.includes(kind) ? ", the nearest one" : "");
  return layOutCard(
    input,
    [
      ["CQ zone", zoneText(cqz) + noted("cqz")],
      ["ITU zone", zoneText(ituz) + noted("ituz")],
      ["Entity", entityText(place)],
      ...(reason === undefined ? [] : [["Disputed", reason] as const]),
    ],
    ink,
  );
}

function entityText({ dxcc, basis }: PlaceEntities): string {
  const names = dxcc.map(
    (code) => `${ENTITIES.find((entity) => entity.code === code)?.name ?? ""} (${code})`,
  );
  if (names.length === 0) return basis === "sea" ? "none, at sea" : "none";
  return names.join(" or ") + (basis === "coast" ? ", off the coast" : "");
}

const COLUMNS: readonly Column<ZonedPlace>[] = [
  { title: "Place", cell: ({ input }) => input },
  { title: "CQ zone", cell: ({ cqz }) => zoneText(cqz) },
  { title: "ITU zone", cell: ({ ituz }) => zoneText(ituz) },
  { title: "Entity", cell: (place) => entityText(place), dispensable: 1 },
];
