/** `hamkit TEXT`: the answers for locators and callsigns without the name of a command. */
import type { Command } from "commander";

import { addLookupOptions } from "../../databases/lookup-options.js";
import { mayBeCall } from "../../input/text-form.js";
import type { TextOptions } from "../../reports/calls/text-report.js";
import type { Session } from "../../session.js";

/** A hidden command: `withTextCommand` adds its name. */
export function addTextCommand(program: Command, session: Session): void {
  addLookupOptions(program.command(NAME, { hidden: true }))
    .description("Shows what texts are: locators, callsigns, or both.")
    .argument("<text...>", "locators and callsigns")
    .option("--json", "output JSON")
    .action(async (texts: string[], options: TextOptions) => {
      const { reportTexts } = await import("../../reports/calls/text-report.js");
      session.present(await reportTexts(texts, options, session), options);
    });
}

const NAME = "text";

/** The command line with the name of this command, if it begins with a locator or a callsign. */
export function withTextCommand(argv: readonly string[]): readonly string[] {
  const [first = ""] = argv;
  return mayBeCall(first) ? [NAME, ...argv] : argv;
}
