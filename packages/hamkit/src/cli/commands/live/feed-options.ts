/** The options that name live feeds, which `spots` and `serve` share. */
import type { Command } from "commander";

import { collect, list } from "../../input/list-option.js";

export interface FeedSourceOptions {
  readonly connect?: readonly string[];
  readonly login?: string;
  readonly command?: readonly string[];
  readonly band?: readonly string[];
  readonly mode?: readonly string[];
}

export function addFeedSourceOptions(command: Command): Command {
  return command
    .option(
      "--connect <sources>",
      "live feeds, with commas between them: HOST or HOST:PORT of a cluster, rbn, rbn-ft8, pskreporter, pota, sota, wwff, " +
        "or the http address of a server of events",
      list,
    )
    .option("--login <callsign>", "with --connect: the call to log in with")
    .option("--command <line>", "with --connect: a line to send after the login; can be repeated", collect)
    .option("--band <bands>", "only live spots of these bands, such as 40m,20m", list)
    .option("--mode <modes>", "only live spots of these modes, such as CW,FT8", list);
}
