/** `hamkit zones`: CQ zone, ITU zone and DXCC entity of coordinates or a locator. */
import type { Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import type { ZonesOptions } from "../../reports/places/zones-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit zones JN48QM", shows: "zones of a locator, all of which a part is inside" },
  { line: "hamkit zones 45.5 -110.2", shows: "zones of coordinates" },
  { line: "hamkit zones 48°31'N 9°22'E --json", shows: "as JSON" },
  { line: "hamkit zones - < places.txt", shows: "one place per line, as a table" },
];

export function addZonesCommand(program: Command, session: Session): void {
  program
    .command("zones")
    .summary("CQ zone, ITU zone and DXCC entity of coordinates or a locator")
    .description(
      "Shows the CQ and ITU zones of a place and its DXCC entity, from borders on a map; several where a border is close.",
    )
    .usage("[options] <latitude> <longitude>\n       hamkit zones [options] <locator>")
    .argument(
      "<locator or coordinates...>",
      "a locator, or degrees of latitude and longitude; - reads them from standard input",
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (words: string[], options: ZonesOptions) => {
      const { reportZones } = await import("../../reports/places/zones-report.js");
      session.present(await reportZones(words, session), options);
    });
}
