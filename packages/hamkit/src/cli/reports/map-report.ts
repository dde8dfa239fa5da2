/** The output of `hamkit map`, and the map files of `map` and `path`. */
import { writeDirectly } from "../../io/file.js";
import { drawMap, type MapOptions } from "../../map.js";
import { UsageError } from "../exit-code.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import { createPlaceFinder, dataLines, placeName, type Place } from "../input/place.js";
import { printable } from "../terminal/table.js";
import type { Session } from "../session.js";

export interface MapCommandOptions
  extends LookupOptions, Pick<MapOptions, "grid" | "projection" | "theme" | "width"> {
  readonly output?: string;
  readonly force?: boolean;
  readonly longPath?: boolean;
  readonly night?: boolean;
}

/** Draws the map, and writes it to standard output or a file. */
export async function reportMap(
  ends: { readonly from: string | undefined; readonly to: string | undefined },
  options: MapCommandOptions,
  session: Session,
): Promise<void> {
  checkOptions(ends, options, session);
  const finder = createPlaceFinder(options, session);
  const from = ends.from === undefined ? undefined : await finder.find("from", ends.from);
  const to = ends.to === undefined ? undefined : await finder.find("to", ends.to);
  const { at, night, longPath, grid, projection, theme, width, output = "-" } = options;
  const date = at ?? (night ? session.io.now() : undefined);
  const svg = await drawPlaces({ from, to }, { date, longpath: longPath, grid, projection, theme, width });

  if (output === "-") return session.print([svg]);
  await writeMap(output, svg, options);
  session.print([mapText(output), ...dataLines(finder, session)]);
}

/** Validates options before any lookup. */
function checkOptions(
  { from }: { readonly from: string | undefined },
  { projection, output }: MapCommandOptions,
  { io }: Session,
): void {
  if (projection === "azimuthal" && from === undefined)
    throw new UsageError(
      "--projection azimuthal: expected a place as the center: hamkit map <place> --projection azimuthal",
    );
  if (output === undefined && io.stdout.isTerminal)
    throw new UsageError(
      "--output: standard output is a terminal; name a file with -o map.svg, or print the SVG with -o -",
    );
}

/** Draws a map of places, labeled as they were given. */
export function drawPlaces(
  { from, to }: { readonly from?: Place | undefined; readonly to?: Place | undefined },
  options: Omit<MapOptions, "from" | "to">,
): Promise<string> {
  return drawMap({ ...options, from: stationOf(from), to: stationOf(to) });
}

function stationOf(place: Place | undefined): MapOptions["from"] {
  if (place === undefined) return undefined;
  const { latitude, longitude } = place;
  return { latitude, longitude, label: placeName(place) };
}

/**
 * Writes a map.
 *
 * @throws {UsageError} The file exists, and `force` is not set.
 * @throws {IOError} The file can't be written.
 */
export async function writeMap(
  path: string,
  svg: string,
  { force = false }: { force?: boolean | undefined },
) {
  if (await writeDirectly(path, svg, { mayReplace: force })) return;
  throw new UsageError(`${JSON.stringify(path)} already exists; --force replaces it`);
}

/** "Map: path.svg" */
export function mapText(path: string): string {
  return `Map: ${printable(path, 200)}`;
}
