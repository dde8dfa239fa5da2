/** The output of `hamkit path`: a table, or JSON. */
import { geodesic } from "../../../geo/ellipsoid.js";
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees } from "../../../geo/great-circle.js";
import { compassPoint, milesOf } from "./geo-text.js";
import { drawPlaces, mapText, writeMap } from "./map-report.js";
import { createPlaceFinder, dataLines, placeText, type Place } from "../../input/place.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import type { Report, Session } from "../../session.js";
import { layOutCard, layOutTable, type Column } from "../../terminal/text-table.js";

export interface PathReportOptions extends LookupOptions {
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
export async function reportPath(
  ends: { readonly from: string; readonly to: string },
  options: PathReportOptions,
  session: Session,
): Promise<Report> {
  const finder = createPlaceFinder(options, session);
  const from = await finder.find("from", ends.from);
  const to = await finder.find("to", ends.to);
  const paths = pathsBetween(from, to, options.wgs84 === true);
  const { map } = options;
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
