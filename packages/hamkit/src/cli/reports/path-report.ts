/** The answer of `hamkit path`, as a table and in JSON. */
import { geodesic } from "../../geo/ellipsoid.js";
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees } from "../../geo/great-circle.js";
import { compassPoint, milesOf } from "./geo-text.js";
import { drawPlaces, mapText, writeMap } from "./map-file.js";
import { createPlaceFinder, dataLines, placeText, type Place } from "../input/place.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import type { Report, Session } from "../session.js";
import { layOutCard, layOutTable, type Column } from "../terminal/table.js";

export interface PathOptions extends LookupOptions {
  readonly json?: boolean;
  readonly wgs84?: boolean;
  /** The file to draw a map into. */
  readonly map?: string;
  /** Whether that file may be replaced. */
  readonly force?: boolean;
}

/** One way between two places. */
interface Way {
  readonly distanceKm: number;
  readonly distanceMiles: number;
  /** Degrees from north over east, at the start. */
  readonly heading: number;
  readonly compassPoint: string;
}

/** The ways between two places. */
export async function reportPath(
  ends: { readonly from: string; readonly to: string },
  options: PathOptions,
  session: Session,
): Promise<Report> {
  const finder = createPlaceFinder(options, session);
  const from = await finder.find("from", ends.from);
  const to = await finder.find("to", ends.to);
  const ways = waysBetween(from, to, options.wgs84 === true);
  const { map } = options;
  if (map !== undefined) await drawWays({ from, to }, map, options, session);
  return {
    document: { from, to, ...ways, ...(map !== undefined && { map }) },
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
      ...layOutTable(rowsOf(ways), COLUMNS, { ink: session.ink }).lines,
      ...(map === undefined ? [] : ["", mapText(map)]),
      ...dataLines(finder, session),
    ],
  };
}

/** Draws a map of both ways into a file. */
async function drawWays(
  ends: { readonly from: Place; readonly to: Place },
  path: string,
  { at, force }: PathOptions,
  { io }: Session,
): Promise<void> {
  const svg = await drawPlaces(ends, { longpath: true, grid: true, date: at ?? io.now() });
  await writeMap(path, svg, { force });
}

type Ways = Readonly<Record<"shortPath" | "longPath", Way>> & { readonly wgs84?: Way };

function waysBetween(from: Place, to: Place, wantsEllipsoid: boolean): Ways {
  const distance = distanceKm(from, to);
  const heading = headingDegrees(from, to);
  const ways = {
    shortPath: wayOf(distance, heading),
    longPath: wayOf(CIRCUMFERENCE_KM - distance, (heading + 180) % 360),
  };
  if (!wantsEllipsoid) return ways;
  const shortest = geodesic(from, to);
  return { ...ways, wgs84: wayOf(shortest.distanceKm, shortest.heading) };
}

function wayOf(km: number, heading: number): Way {
  return { distanceKm: km, distanceMiles: milesOf(km), heading, compassPoint: compassPoint(heading) };
}

interface NamedWay extends Way {
  readonly name: string;
  readonly digits: number;
}

function rowsOf({ shortPath, longPath, wgs84 }: Ways): { row: NamedWay }[] {
  return [
    { name: "Short path", digits: 1, ...shortPath },
    { name: "Long path", digits: 1, ...longPath },
    ...(wgs84 === undefined ? [] : [{ name: "WGS84 ellipsoid", digits: 3, ...wgs84 }]),
  ].map((row) => ({ row }));
}

const COLUMNS: readonly Column<NamedWay>[] = [
  { title: "Way", cell: ({ name }) => name },
  { title: "Distance", cell: (way) => `${way.distanceKm.toFixed(way.digits)} km`, align: "right" },
  { title: "", cell: (way) => `${way.distanceMiles.toFixed(way.digits)} mi`, align: "right" },
  { title: "Heading", cell: ({ heading }) => `${roundedHeading(heading)}°`, align: "right" },
  { title: "", cell: (way) => way.compassPoint },
];

/** One digit after the point; 359.97 is 0.0, for there is no heading of 360. */
function roundedHeading(heading: number): string {
  const text = heading.toFixed(1);
  return text === "360.0" ? "0.0" : text;
}
