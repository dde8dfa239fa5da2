/** The command tree. A command loads its implementation when it runs, to keep the start fast. */
import { readFileSync } from "node:fs";

import { Command } from "commander";

import { addAdifCommand } from "./commands/logs/adif-command.js";
import { addAnnotateCommand } from "./commands/logs/annotate-command.js";
import { addAwardsCommand } from "./commands/logs/awards-command.js";
import { addBandCommand } from "./commands/band-command.js";
import { addCallCommand } from "./commands/calls/call-command.js";
import { addCompletionCommand } from "./commands/completion-command.js";
import { completionText, examplesText, exitCodesText } from "./terminal/help-text.js";
import { addLocatorCommand } from "./commands/places/locator-command.js";
import { addMapCommand } from "./commands/places/map-command.js";
import { addPathCommand } from "./commands/places/path-command.js";
import { addReferenceCommand } from "./commands/places/reference-command.js";
import { addScpCommand } from "./commands/calls/scp-command.js";
import type { Session } from "./session.js";
import { addSpotsCommand } from "./commands/live/spots-command.js";
import { addSunCommand } from "./commands/places/sun-command.js";
import { addTextCommand } from "./commands/calls/text-command.js";
import { hasColors } from "./terminal/terminal.js";
import { addTourCommand } from "./commands/tour-command.js";
import { addUsersCommand } from "./commands/calls/users-command.js";
import { addWsjtxCommand } from "./commands/live/wsjtx-command.js";
import { addZonesCommand } from "./commands/places/zones-command.js";

const EXAMPLES = [
  { line: "hamkit call DH1TW", shows: "country, zones and position of a callsign" },
  { line: "hamkit HL22", shows: "what a text is: a locator, a callsign, or both" },
  { line: "hamkit path JN48QM W1AW", shows: "distance and heading, short and long path" },
  { line: "hamkit map JN48QM W1AW -o path.svg", shows: "a map of it" },
  { line: "hamkit sun FN31PR", shows: "the next dawn, sunrise, sunset and dusk" },
  { line: "hamkit band 14.074MHz", shows: "band and mode of a frequency" },
  { line: "hamkit locator 48.52 9.38", shows: "the locator of a place" },
  {
    line: "hamkit annotate mylog.adi --from JN48QM",
    shows: "a copy of a log with country, zones and distance",
  },
];

/** All commands, for one run. Help is written to the session, and failures are thrown. */
export function createProgram(session: Session): Command {
  const { io, ink } = session;
  const program = new Command("hamkit")
    .description("Amateur radio on the command line: callsigns, paths, maps, sun times, bands and locators.")
    .version(packageVersion(), "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 110,
      getOutHasColors: () => hasColors(io.stdout, io.env),
    })
    .configureHelp({ styleTitle: (title) => ink("bold", title) })
    .addHelpText("after", examplesText(EXAMPLES, ink))
    .addHelpText("after", completionText(ink))
    .addHelpText("afterAll", exitCodesText(ink));

  addCallCommand(program, session);
  addPathCommand(program, session);
  addMapCommand(program, session);
  addSunCommand(program, session);
  addBandCommand(program, session);
  addLocatorCommand(program, session);
  addZonesCommand(program, session);
  addReferenceCommand(program, session);
  addSpotsCommand(program, session);
  addWsjtxCommand(program, session);
  addUsersCommand(program, session);
  addScpCommand(program, session);
  addAnnotateCommand(program, session);
  addAwardsCommand(program, session);
  addAdifCommand(program, session);
  addTextCommand(program, session);
  addTourCommand(program, session);
  addCompletionCommand(program, session);
  return program;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
