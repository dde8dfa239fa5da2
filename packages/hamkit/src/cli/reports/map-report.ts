/** The answer of `hamkit map`: the map, on standard output or in a file. */
import type { MapOptions } from "../../map.js";
import { UsageError } from "../exit-code.js";
import type { LookupOptions } from "../databases/lookup-options.js";
import { drawPlaces, mapText, writeMap } from "./map-file.js";
import { createPlaceFinder, dataLines } from "../input/place.js";
import type { Session } from "../session.js";

export interface MapCommandOptions
  extends LookupOptions, Pick<MapOptions, "grid" | "projection" | "theme" | "width"> {
  readonly output?: string;
  readonly force?: boolean;
  readonly longPath?: boolean;
  readonly night?: boolean;
}

/** Draws the map, and writes it where it is wanted. */
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

/** What can be told before anything is looked up. */
function checkOptions(
  { from }: { readonly from: string | undefined },
  { projection, output }: MapCommandOptions,
  { io }: Session,
): void {
  if (projection === "azimuthal" && from === undefined)
    throw new UsageError(
      "an azimuthal map is centered on a place: hamkit map <place> --projection azimuthal",
    );
  if (output === undefined && io.stdout.isTerminal)
    throw new UsageError("a map is no text to read: name a file with -o map.svg, or write it here with -o -");
}
