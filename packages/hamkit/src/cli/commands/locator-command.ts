/** `hamkit locator`: the locator of a place, and the place of a locator. */
import { Option, type Command } from "commander";

import { examplesText } from "../terminal/help-text.js";
import type { LocatorOptions } from "../reports/locator-report.js";
import type { Session } from "../session.js";

const EXAMPLES = [
  { line: "hamkit locator 48.52 9.375", shows: "the locator of a place, 6 characters" },
  { line: "hamkit locator -33.9 18.4 --precision 10", shows: "south and west are negative" },
  { line: "hamkit locator 33.9S 18.4E", shows: "the same with letters" },
  { line: "hamkit locator JN48QM", shows: "the coordinates of a locator" },
];

export function addLocatorCommand(program: Command, session: Session): void {
  program
    .command("locator")
    .summary("the locator of coordinates, and the coordinates of a locator")
    .description("The Maidenhead locator of a place, or the coordinates of a locator: its center and corner.")
    .usage("[options] <latitude> <longitude>\n       hamkit locator [options] <locator>")
    .argument("<locator or coordinates...>", "a locator, or degrees of latitude and longitude")
    .addOption(
      new Option("--precision <characters>", "length of the locator of a place; 6 when left out").choices([
        "4",
        "6",
        "8",
        "10",
      ]),
    )
    .option("--json", "answer in JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (words: string[], options: LocatorOptions) => {
      const { reportLocator } = await import("../reports/locator-report.js");
      session.present(reportLocator(words, options, session), options);
    });
}

const DEGREES = /^[-+]?[\d.]+°?[nsew]?$/i;

/**
 * The words of a command line, with coordinates that were pasted with a comma taken apart: "-33.9, 18.4" and
 * "-33.9,18.4" would else be taken for options.
 */
export function withoutCommas(argv: readonly string[]): readonly string[] {
  if (argv.find((word) => !word.startsWith("-")) !== "locator") return argv;
  return argv.flatMap((word) => {
    const parts = word.split(",").filter((part) => part !== "");
    return word.includes(",") && parts.every((part) => DEGREES.test(part)) ? parts : [word];
  });
}
