/** The options of the commands that look callsigns up. */
import { InvalidArgumentError, type Command } from "commander";

import type { LookupType } from "../../lookuplib.js";
import { parseMoment } from "../input/moment.js";

/** Which callsign data to look up in. */
export interface DataOptions {
  readonly file?: string;
  readonly in?: readonly ChosenDatabase[];
  readonly credentials?: string;
  readonly offline?: boolean;
}

export interface LookupOptions extends DataOptions {
  readonly at?: Date;
}

/** A kind of database, and the local file that it is to be read from. */
export interface ChosenDatabase {
  readonly type: LookupType;
  readonly file?: string;
}

/** The kinds of database, and whether they can be read from a local file. */
const TYPES: Readonly<Record<LookupType, { readonly hasFile: boolean }>> = {
  countryfile: { hasFile: true },
  logxml: { hasFile: true },
  logapi: { hasFile: false },
  callbook: { hasFile: false },
  kvstore: { hasFile: false },
};

/** Adds `--at`, `--file`, `--in`, `--credentials` and `--offline` to a command. */
export function addLookupOptions(command: Command): Command {
  const dated = command.option(
    "--at <date>",
    "the moment to answer for, in UTC unless it names a zone; now when left out",
    requireMoment,
  );
  return addDataOptions(dated);
}

/** Adds `--file` and `--offline` to a command whose answers have a time of their own. */
export function addDataOptions(command: Command): Command {
  return command
    .option("--file <path>", "look up in this country file: cty.plist, cty.dat or cty.csv")
    .option(
      "--in <databases>",
      `look up in another kind of database: ${Object.keys(TYPES).join(", ")}; several with commas are asked in that order, and ` +
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
    if (!isType(type)) {
      throw new InvalidArgumentError(`Expected one or more of ${Object.keys(TYPES).join(", ")}.`);
    }
    if (file === undefined) return { type };
    if (TYPES[type].hasFile) return { type, file };
    throw new InvalidArgumentError(`${type} is read from no file.`);
  });
}

function isType(text: string): text is LookupType {
  return Object.hasOwn(TYPES, text);
}
