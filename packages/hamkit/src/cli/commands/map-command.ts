/** `hamkit map`: a map of the world as SVG. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { examplesText, placesText } from "../terminal/help-text.js";
import { addLookupOptions } from "../databases/lookup-options.js";
import type { MapCommandOptions } from "../reports/map-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit map JN48QM FN31PR -o path.svg", shows: "the path between two places" },
  {
    line: "hamkit map JN48QM ZL1AA --long-path --night -o now.svg",
    shows: "both ways round, in which it is night",
  },
  {
    line: "hamkit map JN48QM --projection azimuthal > beam.svg",
    shows: "headings and distances from a place",
  },
  {
    line: "hamkit map --at 2024-12-21T12:00 --grid > world.svg",
    shows: "day and night of a moment, locator fields",
  },
];

export function addMapCommand(program: Command, session: Session): void {
  addLookupOptions(program.command("map"))
    .summary("a map of the world as SVG: paths, day and night, locators")
    .description(
      "Draws a map of the world as SVG: the great circle between two places, day and night, the locator fields.",
    )
    .argument("[from]", "locator or callsign to mark; an azimuthal map is centered on it")
    .argument("[to]", "locator or callsign to draw the path to")
    .option("-o, --output <path>", "the file to write; standard output when left out, or -")
    .option("--force", "replace the file if there is one")
    .option("--long-path", "draw the path round the other side of the globe too")
    .option("--night", "show day and night, at the moment of --at or else now; --at alone shows them too")
    .option("--grid", "draw the locator fields")
    .addOption(
      new Option("--projection <name>", "how the globe is laid flat; equirectangular when left out").choices([
        "equirectangular",
        "natural-earth",
        "azimuthal",
      ]),
    )
    .addOption(
      new Option("--theme <name>", "colors; those of the viewer's system when left out").choices([
        "auto",
        "light",
        "dark",
      ]),
    )
    .option("--width <pixels>", "from 240 to 4000; 960 when left out", requireNumber)
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (from: string | undefined, to: string | undefined, options: MapCommandOptions) => {
      const { reportMap } = await import("../reports/map-report.js");
      await reportMap({ from, to }, options, session);
    });
}

function requireNumber(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of pixels.");
}
