/** `hamkit path`: distance and heading between two places. */
import type { Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions, type LookupOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { geodesic } from "../../../geo/ellipsoid.js";
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees } from "../../../geo/great-circle.js";
import { compassPoint, milesOf } from "../../terminal/geo-text.js";
import { drawPlaces, mapText, requireMapName, writeMap } from "./map-command.js";
import { createPlaceFinder, dataLines, placeText, type Place } from "../../input/place.js";
import { layOutCard, layOutTable, type Column } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit path JN48QM FN31PR", shows: "between two locators" },
  { line: "hamkit path JN48QM VK9XX", shows: "from a locator to a callsign" },
  { line: "hamkit path 48.5,9.3 VK9XX", shows: "from coordinates to a callsign" },
  { line: "hamkit path JN48QM FN31PR --wgs84", shows: "also on the WGS84 ellipsoid" },
  { line: "hamkit path JN48QM FN31PR --map ways.svg", shows: "with a map of both paths" },
];

export function definePathCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description(
      "Shows distance and heading between two places on the short and the long path, on the sphere of 6371 km.",
    )
    .argument("<from>", "locator, coordinates or callsign")
    .argument("<to>", "locator, coordinates or callsign")
    .option("--wgs84", "add the shortest path on the WGS84 ellipsoid")
    .option("--map <path>", "write an SVG map of both paths to this file, with day and night at --at or now")
    .option("--force", "replace an existing file of --map")
    .option("--json", "output JSON")
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (from: string, to: string, options: PathReportOptions) => {
      session.present(await reportPath({ from, to }, options, session), options);
    });
}

interface PathReportOptions extends LookupOptions {
  readonly json?: boolean;
  readonly wgs84?: boolean;
  /** File name of the map. */
  readonly map?: string;
  /** Whether an existing file may be replaced. */
  readonly force?: boolean;
}

/** One path between two places. */
interface Path {
  readonly distanceKm: number;
  readonly distanceMiles: number;
  /** Initial heading, in degrees clockwise from north. */
  readonly heading: number;
  readonly compassPoint: string;
}

/** The paths between two places. */
async function reportPath(
  ends: { readonly from: string; readonly to: string },
  options: PathReportOptions,
  session: Session,
): Promise<Report> {
  const { map } = options;
  if (map !== undefined) requireMapName("--map", map, [".svg"]);
  const finder = createPlaceFinder(options, session);
  const from = await finder.find("from", ends.from);
  const to = await finder.find("to", ends.to);
  const paths = pathsBetween(from, to, options.wgs84 === true);
  if (map !== undefined) await writePathMap({ from, to }, map, options, session);
  return {
    document: { from, to, ...paths, ...(map !== undefined && { map }) },
    lines: () => [
      ...layOutCard(
        undefined,
        [
          ["From", placeText(from)],
          ["To", placeText(to)],
        ],
        session.ink,
      ),
      "",
      ...layOutTable(rowsOf(paths), COLUMNS, { ink: session.ink }).lines,
      ...(map === undefined ? [] : ["", mapText(map)]),
      ...dataLines(finder, session),
    ],
  };
}

/** Writes a map of both paths. */
async function writePathMap(
  ends: { readonly from: Place; readonly to: Place },
  file: string,
  { at, force }: PathReportOptions,
  { io }: Session,
): Promise<void> {
  const svg = await drawPlaces(ends, { longpath: true, grid: true, date: at ?? io.now() });
  await writeMap(file, svg, { force });
}

type Paths = Readonly<Record<"shortPath" | "longPath", Path>> & { readonly wgs84?: Path };

function pathsBetween(from: Place, to: Place, withEllipsoid: boolean): Paths {
  const distance = distanceKm(from, to);
  const heading = headingDegrees(from, to);
  const paths = {
    shortPath: pathOf(distance, heading),
    longPath: pathOf(CIRCUMFERENCE_KM - distance, (heading + 180) % 360),
  };
  if (!withEllipsoid) return paths;
  const shortest = geodesic(from, to);
  return { ...paths, wgs84: pathOf(shortest.distanceKm, shortest.heading) };
}

function pathOf(km: number, heading: number): Path {
  return { distanceKm: km, distanceMiles: milesOf(km), heading, compassPoint: compassPoint(heading) };
}

interface NamedPath extends Path {
  readonly name: string;
  readonly digits: number;
}

function rowsOf({ shortPath, longPath, wgs84 }: Paths): { row: NamedPath }[] {
  return [
    { name: "Short path", digits: 1, ...shortPath },
    { name: "Long path", digits: 1, ...longPath },
    ...(wgs84 === undefined ? [] : [{ name: "WGS84 ellipsoid", digits: 3, ...wgs84 }]),
  ].map((row) => ({ row }));
}

const COLUMNS: readonly Column<NamedPath>[] = [
  { title: "Path", cell: ({ name }) => name },
  { title: "Distance", cell: (path) => `${path.distanceKm.toFixed(path.digits)} km`, align: "right" },
  { title: "", cell: (path) => `${path.distanceMiles.toFixed(path.digits)} mi`, align: "right" },
  { title: "Heading", cell: ({ heading }) => `${roundedHeading(heading)}°`, align: "right" },
  { title: "", cell: (path) => path.compassPoint },
];

/** One decimal place; 359.97 is 0.0, since headings are below 360. */
function roundedHeading(heading: number): string {
  const text = heading.toFixed(1);
  return text === "360.0" ? "0.0" : text;
}
