/** `hamkit band`: band and mode of frequencies. */
import { Option, type Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import type { BandOptions } from "../reports/band-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit band 14074", shows: "a frequency in kHz" },
  { line: "hamkit band 14.074MHz 10.368GHz", shows: "several, with units" },
  { line: "hamkit band 14.074.000", shows: "as a transceiver displays it" },
  { line: "hamkit band - --json < frequencies.txt", shows: "one frequency per line, JSON output" },
  { line: "hamkit band 7150 --region 2", shows: "by the band plan of the Americas" },
];

export function addBandCommand(program: Command, session: Session): void {
  program
    .command("band")
    .summary("band and mode of frequencies")
    .description("Shows the amateur band of a frequency, and its mode by the IARU band plans.")
    .argument(
      "<frequency...>",
      "in kHz, or with a unit: Hz, kHz, MHz, GHz or THz; - reads them from standard input",
    )
    .addOption(
      new Option(
        "--region <number>",
        "use edges and plan of this IARU region; default: all regions combined",
      ).choices(["1", "2", "3"]),
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (frequencies: string[], options: BandOptions) => {
      const { reportBands } = await import("../reports/band-report.js");
      session.present(await reportBands(frequencies, options, session), options);
    });
}
