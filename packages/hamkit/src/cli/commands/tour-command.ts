/** `hamkit tour`: runs example commands. */
import type { Command } from "commander";

import { EXIT, type ExitCode } from "../exit-code.js";
import type { Session } from "../session.js";

const STOPS = [
  { title: "Country and zones of a callsign", args: ["call", "HC2/DH1TW", "--offline"] },
  { title: "Distance and heading", args: ["path", "JN48QM", "ZL1AA", "--offline"] },
  { title: "Sunrise and sunset", args: ["sun", "JN48QM"] },
  { title: "Band and mode of a frequency", args: ["band", "14.074MHz"] },
];

export function defineTourCommand(command: Command, session: Session): void {
  command
    .description("Runs four example commands: a callsign, a path, the sun and a band.")
    .action(async () => {
      let worst: ExitCode = EXIT.success;
      for (const { title, args } of STOPS) {
        session.print([session.ink("dim", `# ${title}`), session.ink("green", `$ hamkit ${args.join(" ")}`)]);
        const exitCode = await session.run(args);
        if (exitCode > worst) worst = exitCode;
        session.print([""]);
      }
      session.print([`${session.ink("green", "$ hamkit --help")} lists all commands.`]);
      session.finish(worst);
    });
}
