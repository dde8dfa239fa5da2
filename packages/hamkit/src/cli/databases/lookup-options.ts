/** The options of commands that look up callsigns. */
import { InvalidArgumentError, type Command } from "commander";

import { isLookupType, SOURCE_NAMES, SOURCES, type LookupType } from "../../sources.js";
import { parseMoment } from "../input/moment.js";

/** Selects the callsign data. */
export interface DataOptions {
  readonly file?: string;
  readonly in?: readonly ChosenDatabase[];
  readonly credentials?: string;
  readonly offline?: boolean;
}

export interface LookupOptions extends DataOptions {
  readonly at?: Date;
}

/** A database, and the local file to read it from. */
export interface ChosenDatabase {
  readonly type: LookupType;
  readonly file?: string;
}

/** Adds `--at`, `--file`, `--in`, `--credentials` and `--offline` to a command. */
export function addLookupOptions(command: Command): Command {
  const dated = command.option(
    "--at <date>",
    "the moment to answer for, in UTC unless it names a zone; now when left out",
    requireMoment,
  );
  return addDataOptions(dated);
}

/** Adds the same options without `--at`, for commands whose input has its own times. */
export function addDataOptions(command: Command): Command {
  return command
    .option("--file <path>", "look up in this country file: cty.plist, cty.dat or cty.csv")
    .option(
      "--in <databases>",
      `look up in another kind of database: ${SOURCE_NAMES.join(", ")}; several with commas are asked in that order, and ` +
        "logxml=cty.xml names a local file",
      requireDatabases,
    )
    .option("--credentials <path>", "a file with keys and accounts; the environment counts before it")
    .option("--offline", "look up in the kept or the embedded data, without asking the network");
}

function requireMoment(text: string): Date {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError(
    "Expected a date such as 2024-06-30, 2024-06-30T18:30 or 2024-06-30T20:30+02:00.",
  );
}

function requireDatabases(text: string): ChosenDatabase[] {
  return text.split(",").map((part) => {
    const [, type = "", file] = /^\s*([a-z]*)\s*(?:=(.+))?$/i.exec(part) ?? [];
    if (!isLookupType(type)) {
      throw new InvalidArgumentError(`Expected one or more of ${SOURCE_NAMES.join(", ")}.`);
    }
    if (file === undefined) return { type };
    if (SOURCES[type].options.includes("filename")) return { type, file };
    throw new InvalidArgumentError(`${type} is read from no file.`);
  });
}
