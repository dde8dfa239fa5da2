/** `hamkit map`: a world map as SVG, PNG or GeoJSON. */
import { extname } from "node:path";

import { InvalidArgumentError, Option, type Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions, type LookupOptions } from "../../databases/lookup-options.js";
import type { Session } from "../../session.js";
import { readBytes, writeDirectly } from "../../../io/file.js";
import { latlongToLocator } from "../../../locator.js";
import { readLog } from "../../../logs.js";
import { drawMap, drawPng, placeLog, toGeoJson, type MapOptions, type PlacedLog } from "../../../map.js";
import { UsageError } from "../../exit-code.js";
import { openTable } from "../../databases/callsign-database.js";
import { requireMaxSize } from "../../input/log-files.js";
import { createPlaceFinder, dataLines, placeName, type Place } from "../../input/place.js";
import { printable } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit map JN48QM FN31PR -o path.svg", shows: "the path between two places" },
  {
    line: "hamkit map JN48QM ZL1AA --long-path --night -o now.svg",
    shows: "short and long path, with the night side",
  },
  {
    line: "hamkit map JN48QM --projection azimuthal > beam.svg",
    shows: "headings and distances from a place",
  },
  {
    line: "hamkit map --at 2024-12-21T12:00 --grid > world.svg",
    shows: "day and night at a given time, locator fields",
  },
  {
    line: "hamkit map JN48QM --log mylog.adi -o log.png",
    shows: "entities and squares of a log, worked and confirmed",
  },
  {
    line: "hamkit map JN48QM --log mylog.adi --layers paths --zones cq -o log.geojson",
    shows: "the paths of a log and the CQ zones, for map software",
  },
];

const LAYERS = ["squares", "entities", "paths"] as const;

export function defineMapCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description(
      "Draws a world map as SVG, PNG or GeoJSON: the great circle between two places, day and night, locator fields, zones, " +
        "the squares, entities and paths of a log.",
    )
    .argument("[from]", "locator, coordinates or callsign to mark; center of an azimuthal map")
    .argument("[to]", "locator, coordinates or callsign to draw the path to")
    .option(
      "-o, --output <path>",
      "output file: .svg, .png or .geojson; default, or with -: SVG to standard output",
    )
    .option("--force", "replace an existing file")
    .option("--long-path", "also draw the long path")
    .option("--night", "show day and night now; --at shows them at another time")
    .option("--grid", "draw the locator fields")
    .addOption(new Option("--zones <kind>", "draw the borders of zones").choices(["cq", "itu"]))
    .option("--log <path>", "show the QSOs of a log")
    .option("--layers <names>", `with --log: ${LAYERS.join(", ")}; default entities,squares`, requireLayers)
    .addOption(
      new Option("--projection <name>", "map projection; default equirectangular").choices([
        "equirectangular",
        "natural-earth",
        "azimuthal",
      ]),
    )
    .addOption(
      new Option("--theme <name>", "colors; default auto: those of the viewer's system").choices([
        "auto",
        "light",
        "dark",
      ]),
    )
    .option("--width <pixels>", "width from 240 to 4000; default 960", requireNumber)
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (from: string | undefined, to: string | undefined, options: MapCommandOptions) => {
      await reportMap({ from, to }, options, session);
    });
}

function requireLayers(text: string): MapCommandOptions["layers"] {
  return text.split(",").map((part) => {
    const layer = LAYERS.find((name) => name === part.trim());
    if (layer !== undefined) return layer;
    throw new InvalidArgumentError(`Expected one or more of ${LAYERS.join(", ")}.`);
  });
}

function requireNumber(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of pixels.");
}

interface MapCommandOptions
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
async function reportMap(
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

/** The formats of maps by the end of the file's name. */
const FORMATS: Readonly<Record<string, (options: MapOptions) => Promise<string | Uint8Array>>> = {
  ".svg": drawMap,
  ".png": drawPng,
  ".geojson": geoJsonText,
  ".json": geoJsonText,
};

/** The map in the format of the file's name. Standard output, and a device or pipe below /dev, get SVG. */
function contentOf(output: string, options: MapOptions): Promise<string | Uint8Array> {
  return (FORMATS[endOf(output)] ?? drawMap)(options);
}

/** @throws {UsageError} The name of the file has the end of no format. */
export function requireMapName(option: string, path: string, ends = Object.keys(FORMATS)): void {
  if (path.startsWith("/dev/") || ends.includes(endOf(path))) return;
  const expected = ends.length === 1 ? ends[0] : `${ends.slice(0, -1).join(", ")} or ${ends.at(-1)}`;
  throw new UsageError(`${option}: expected a name that ends in ${expected}, got ${JSON.stringify(path)}`);
}

/** ".svg", in lower case; "" for a name without one */
function endOf(path: string): string {
  return extname(path).toLowerCase();
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
  if (output !== undefined && output !== "-") requireMapName("--output", output);
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
