/** Maps of places, and the files they go into. */
import { writeDirectly } from "../../io/file.js";
import { drawMap, type MapOptions } from "../../map.js";
import { UsageError } from "../exit-code.js";
import { placeName, type Place } from "../input/place.js";
import { printable } from "../terminal/table.js";

/** A map with these places on it, labeled as they were asked for. */
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
 * @throws {UsageError} There is such a file, and nobody said that it may be replaced.
 * @throws {IOError} The file can't be written.
 */
export async function writeMap(
  path: string,
  svg: string,
  { force = false }: { force?: boolean | undefined },
) {
  if (await writeDirectly(path, svg, { mayReplace: force })) return;
  throw new UsageError(`${JSON.stringify(path)} is there already; --force replaces it`);
}

/** "Map: path.svg" */
export function mapText(path: string): string {
  return `Map: ${printable(path, 200)}`;
}
