/** `hamkit tour`: what hamkit can do, shown by doing it. */
import type { Command } from "commander";

import { EXIT, type ExitCode } from "../exit-code.js";
import type { Session } from "../session.js";

const STOPS = [
  { says: "Where is a callsign from?", words: ["call", "HC2/DH1TW", "--offline"] },
  { says: "How far is it, and where to turn the antenna?", words: ["path", "JN48QM", "ZL1AA", "--offline"] },
  { says: "When does the sun rise and set?", words: ["sun", "JN48QM"] },
  { says: "What is a frequency for?", words: ["band", "14.074MHz"] },
];

export function addTourCommand(program: Command, session: Session): void {
  program
    .command("tour")
    .summary("a short tour: a callsign, a path, the sun, a band")
    .description("Shows a callsign, a path, the sun and a band, each with the command line that asks for it.")
    .action(async () => {
      let worst: ExitCode = EXIT.success;
      for (const { says, words } of STOPS) {
        session.print([session.ink("dim", `# ${says}`), session.ink("green", `$ hamkit ${words.join(" ")}`)]);
        const exitCode = await session.run(words);
        if (exitCode > worst) worst = exitCode;
        session.print([""]);
      }
      session.print([`${session.ink("green", "$ hamkit --help")} shows the rest.`]);
      session.finish(worst);
    });
}
