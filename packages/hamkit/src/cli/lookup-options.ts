/** The options of the commands that look callsigns up. */
import { InvalidArgumentError, type Command } from "commander";

import { parseMoment } from "./moment.js";

export interface LookupOptions {
  readonly at?: Date;
  readonly file?: string;
  readonly offline?: boolean;
}

/** Adds `--at`, `--file` and `--offline` to a command. */
export function addLookupOptions(command: Command): Command {
  return command
    .option(
      "--at <date>",
      "the moment to answer for, in UTC unless it names a zone; now when left out",
      requireMoment,
    )
    .option("--file <path>", "look up in this country file: cty.plist, cty.dat or cty.csv")
    .option("--offline", "look up in the kept or the embedded country file, without asking the network");
}

function requireMoment(text: string): Date {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError(
    "Expected a date such as 2024-06-30, 2024-06-30T18:30 or 2024-06-30T20:30+02:00.",
  );
}
