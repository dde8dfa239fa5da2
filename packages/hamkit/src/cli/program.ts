/** The command tree. The file of a command is loaded when the command is called, to keep the start fast. */
import { readFileSync } from "node:fs";

import { Command, Help } from "commander";

import type { Session } from "./session.js";
import { completionText, examplesText, exitCodesText } from "./terminal/help-text.js";
import { hasColors } from "./terminal/terminal.js";

/** A command in the list of `hamkit --help`. */
interface CommandEntry {
  readonly name: string;
  /** Its name in the list is followed by these words; a test compares them with its options and arguments. */
  readonly usage: string;
  readonly summary: string;
  /** The function that adds options, help and action. */
  readonly load: () => Promise<(command: Command, session: Session) => void>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: "call",
    usage: "[options] <call...>",
    summary: "country, zones and position of callsigns",
    load: async () => (await import("./commands/calls/call-command.js")).defineCallCommand,
  },
  {
    name: "path",
    usage: "[options] <from> <to>",
    summary: "distance and heading between two places, short and long path",
    load: async () => (await import("./commands/places/path-command.js")).definePathCommand,
  },
  {
    name: "map",
    usage: "[options] [from] [to]",
    summary: "a map of the world: paths, day and night, locators, zones, a log",
    load: async () => (await import("./commands/places/map-command.js")).defineMapCommand,
  },
  {
    name: "sun",
    usage: "[options] <place>",
    summary: "next dawn, sunrise, sunset and dusk, and the position of the sun",
    load: async () => (await import("./commands/places/sun-command.js")).defineSunCommand,
  },
  {
    name: "band",
    usage: "[options] <frequency...>",
    summary: "band and mode of frequencies",
    load: async () => (await import("./commands/band-command.js")).defineBandCommand,
  },
  {
    name: "locator",
    usage: "[options] <locator or coordinates...>",
    summary: "the locator of coordinates, and the coordinates of a locator",
    load: async () => (await import("./commands/places/locator-command.js")).defineLocatorCommand,
  },
  {
    name: "zones",
    usage: "[options] <locator or coordinates...>",
    summary: "CQ zone, ITU zone and DXCC entity of coordinates or a locator",
    load: async () => (await import("./commands/places/zones-command.js")).defineZonesCommand,
  },
  {
    name: "satellite",
    usage: "",
    summary: "passes of satellites, azimuth, elevation and Doppler",
    load: async () => (await import("./commands/places/satellite-command.js")).defineSatelliteCommand,
  },
  {
    name: "reference",
    usage: "[options] [reference...]",
    summary: "parks, summits, nature reserves and island groups",
    load: async () => (await import("./commands/places/reference-command.js")).defineReferenceCommand,
  },
  {
    name: "spots",
    usage: "[options]",
    summary: "lines of a DX cluster, or live feeds, with country, zones and distance",
    load: async () => (await import("./commands/live/spots-command.js")).defineSpotsCommand,
  },
  {
    name: "wsjtx",
    usage: "[options]",
    summary: "what WSJT-X decodes, with country, distance and new ones",
    load: async () => (await import("./commands/live/wsjtx-command.js")).defineWsjtxCommand,
  },
  {
    // Not n1mm, which is a callsign.
    name: "logger",
    usage: "[options]",
    summary: "what N1MM Logger+ and others log, change and spot",
    load: async () => (await import("./commands/live/logger-command.js")).defineLoggerCommand,
  },
  {
    name: "serve",
    usage: "[options]",
    summary: "the radio page with live spots, decodes and what a log needs",
    load: async () => (await import("./commands/serve/serve-command.js")).defineServeCommand,
  },
  {
    name: "users",
    usage: "[options] <call...>",
    summary: "callsigns in the user lists of the logbook, the log service and the card service",
    load: async () => (await import("./commands/calls/users-command.js")).defineUsersCommand,
  },
  {
    name: "scp",
    usage: "[options] <pattern...>",
    summary: "partial and similarity search in a list of contest calls",
    load: async () => (await import("./commands/calls/scp-command.js")).defineScpCommand,
  },
  {
    name: "annotate",
    usage: "[options] <log>",
    summary: "a copy of a log with country, zones, distance and heading",
    load: async () => (await import("./commands/logs/annotate-command.js")).defineAnnotateCommand,
  },
  {
    name: "awards",
    usage: "[options] <log>",
    summary: "awards of a log: worked, confirmed and needed",
    load: async () => (await import("./commands/logs/awards-command.js")).defineAwardsCommand,
  },
  {
    name: "log",
    usage: "",
    summary: "merge logs, find dupes, match confirmations",
    load: async () => (await import("./commands/logs/log-command.js")).defineLogCommand,
  },
  {
    name: "upload",
    usage: "[options] <log>",
    summary: "upload a log to LoTW, eQSL, Club Log, QRZ and others",
    load: async () => (await import("./commands/logs/upload-command.js")).defineUploadCommand,
  },
  {
    name: "selfspot",
    usage: "[options] <program> <reference> <frequency> <mode>",
    summary: "spot your activation of a park or a summit",
    load: async () => (await import("./commands/live/selfspot-command.js")).defineSelfspotCommand,
  },
  {
    name: "keyring",
    usage: "",
    summary: "keys and passwords in the system's keyring",
    load: async () => (await import("./commands/keyring-command.js")).defineKeyringCommand,
  },
  {
    name: "contest",
    usage: "",
    summary: "score and check logs of contests, and their rates",
    load: async () => (await import("./commands/logs/contest-command.js")).defineContestCommand,
  },
  {
    name: "adif",
    usage: "",
    summary: "check, repair and convert ADIF files",
    load: async () => (await import("./commands/logs/adif-command.js")).defineAdifCommand,
  },
  {
    name: "tour",
    usage: "",
    summary: "a short tour: a callsign, a path, the sun, a band",
    load: async () => (await import("./commands/tour-command.js")).defineTourCommand,
  },
  {
    name: "completion",
    usage: "<shell>",
    summary: "a script for completion in bash, zsh or fish",
    load: async () => (await import("./commands/completion-command.js")).defineCompletionCommand,
  },
];

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

/** The hidden command for locators and callsigns without the name of a command. */
const TEXT: CommandEntry = {
  name: "text",
  usage: "[options] <text...>",
  summary: "",
  load: async () => (await import("./commands/calls/text-command.js")).defineTextCommand,
};

/**
 * All commands, for one run; of those that the words don't name, only what the list shows. Help is written to the session,
 * and failures are thrown.
 */
export async function createProgram(words: readonly string[], session: Session): Promise<Command> {
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
    .configureHelp({ styleTitle: (title) => ink("bold", title), subcommandTerm })
    .addHelpText("after", examplesText(EXAMPLES, ink))
    .addHelpText("after", completionText(ink))
    .addHelpText("afterAll", exitCodesText(ink));

  // Completion is about the options of all commands.
  const isCalled = ({ name }: CommandEntry): boolean => words.includes(name) || words.includes("completion");
  const tasks = [...COMMANDS, TEXT].map(async (entry) => {
    const command = program.command(entry.name, { hidden: entry === TEXT }).summary(entry.summary);
    if (isCalled(entry)) (await entry.load())(command, session);
  });
  await Promise.all(tasks);
  return program;
}

/** A command in a list, with its options and arguments as if they were defined. */
function subcommandTerm(command: Command): string {
  const entry = [...COMMANDS, TEXT].find(({ name }) => name === command.name());
  return entry === undefined ? new Help().subcommandTerm(command) : `${entry.name} ${entry.usage}`.trim();
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
