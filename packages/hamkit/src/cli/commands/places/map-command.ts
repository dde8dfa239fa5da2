/** `hamkit map`: a world map as SVG, PNG or GeoJSON. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions } from "../../databases/lookup-options.js";
import type { MapCommandOptions } from "../../reports/places/map-report.js";
import type { Session } from "../../session.js";

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

export function addMapCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("map"))
    .summary("a map of the world: paths, day and night, locators, zones, a log")
    .description(
      "Draws a world map as SVG, PNG or GeoJSON: the great circle between two places, day and night, locator fields, zones, " +
        "the squares, entities and paths of a log.",
    )
    .argument("[from]", "locator or callsign to mark; center of an azimuthal map")
    .argument("[to]", "locator or callsign to draw the path to")
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
      const { reportMap } = await import("../../reports/places/map-report.js");
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
