/** `hamkit locator`: converts coordinates to a locator, and a locator to coordinates. */
import { Option, type Command } from "commander";

import { examplesText } from "../../terminal/help-text.js";
import type { LocatorOptions } from "../../reports/places/locator-report.js";
import type { Session } from "../../session.js";

const EXAMPLES = [
  { line: "hamkit locator 48.52 9.375", shows: "the locator of coordinates, 6 characters" },
  { line: "hamkit locator -33.9 18.4 --precision 10", shows: "south and west are negative" },
  { line: "hamkit locator 33.9S 18.4E", shows: "hemispheres as letters" },
  { line: "hamkit locator 48°31'N 9°22'E", shows: "degrees and minutes" },
  { line: "hamkit locator - --json < places.txt", shows: "one place per line, JSON output" },
  { line: "hamkit locator JN48QM", shows: "the coordinates of a locator" },
];

export function addLocatorCommand(program: Command, session: Session): void {
  program
    .command("locator")
    .summary("the locator of coordinates, and the coordinates of a locator")
    .description(
      "Converts coordinates to a Maidenhead locator, or a locator to the coordinates of its center and corner.",
    )
    .usage("[options] <latitude> <longitude>\n       hamkit locator [options] <locator>")
    .argument(
      "<locator or coordinates...>",
      "a locator, or degrees of latitude and longitude; - reads them from standard input",
    )
    .addOption(
      new Option("--precision <characters>", "length of the locator; default 6").choices([
        "4",
        "6",
        "8",
        "10",
      ]),
    )
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (words: string[], options: LocatorOptions) => {
      const { reportLocator } = await import("../../reports/places/locator-report.js");
      session.present(await reportLocator(words, options, session), options);
    });
}
