/** The output of `hamkit map`, and the map files of `map` and `path`. */
import { readBytes, writeDirectly } from "../../../io/file.js";
import { latlongToLocator } from "../../../locator.js";
import { readLog } from "../../../logs.js";
import { drawMap, drawPng, placeLog, toGeoJson, type MapOptions, type PlacedLog } from "../../../map.js";
import { UsageError } from "../../exit-code.js";
import { openTable } from "../../databases/callsign-database.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import { requireMaxSize } from "../../input/log-files.js";
import { createPlaceFinder, dataLines, placeName, type Place } from "../../input/place.js";
import { printable } from "../../terminal/text-table.js";
import type { Session } from "../../session.js";

export interface MapCommandOptions
  extends LookupOptions, Pick<MapOptions, "grid" | "projection" | "theme" | "width" | "zones"> {
  readonly output?: string;
  readonly force?: boolean;
  readonly longPath?: boolean;
  readonly night?: boolean;
  readonly log?: string;
  /** Default: entities and squares. */
  readonly layers?: readonly (keyof PlacedLog)[];
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
  const { at, night, longPath, grid, projection, theme, width, zones, output = "-" } = options;
  const date = at ?? (night ? session.io.now() : undefined);
  const layers = options.log === undefined ? undefined : await layersOf(options.log, from, options, session);
  const content = await contentOf(output, {
    from: stationOf(from),
    to: stationOf(to),
    date,
    longpath: longPath,
    grid,
    projection,
    theme,
    width,
    zones,
    ...layers,
  });
  if (typeof content === "string" && output === "-") return session.print([content]);
  await writeMap(output, content, options);
  session.print([
    mapText(output),
    ...(layers === undefined ? [] : [layersText(layers)]),
    ...dataLines(finder, session),
  ]);
}

/** The layers of a log, without those that are not asked for. */
async function layersOf(
  path: string,
  from: Place | undefined,
  options: MapCommandOptions,
  session: Session,
): Promise<Partial<PlacedLog>> {
  await requireMaxSize(path);
  const log = await readLog(await readBytes(path), { name: path });
  const locator = from === undefined ? undefined : latlongToLocator(from.latitude, from.longitude, 8);
  const placed = await placeLog(log, { table: await openTable(options, session), locator });
  const names = options.layers ?? ["entities", "squares"];
  return Object.fromEntries(names.map((name) => [name, placed[name]]));
}

/** The map in the format of the file's name. */
function contentOf(output: string, options: MapOptions): Promise<string | Uint8Array> {
  if (/\.png$/i.test(output)) return drawPng(options);
  if (/\.(?:geo)?json$/i.test(output)) return geoJsonText(options);
  return drawMap(options);
}

async function geoJsonText(options: MapOptions): Promise<string> {
  return `${JSON.stringify(await toGeoJson(options))}\n`;
}

/** "97 entities, 759 squares" */
function layersText(layers: Partial<PlacedLog>): string {
  return Object.entries(layers)
    .map(([name, list]) => `${list.length} ${name}`)
    .join(", ");
}

/** Validates options before any lookup. */
function checkOptions(
  { from }: { readonly from: string | undefined },
  { projection, output, layers, log }: MapCommandOptions,
  { io }: Session,
): void {
  if (layers !== undefined && log === undefined)
    throw new UsageError("--layers: expected a log as well: hamkit map --log mylog.adi --layers paths");
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
  content: string | Uint8Array,
  { force = false }: { force?: boolean | undefined },
) {
  if (await writeDirectly(path, content, { mayReplace: force })) return;
  throw new UsageError(`${JSON.stringify(path)} already exists; --force replaces it`);
}

/** "Map: path.svg" */
export function mapText(path: string): string {
  return `Map: ${printable(path, 200)}`;
}
