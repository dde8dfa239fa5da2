/** `hamkit-identity import` and `export`: commands of the package @hamkit/identity-import, which has a client of MySQL. */
import type { Command } from "commander";

import { packageVersion } from "../package-version.js";
import { withSettings, type CommandContext } from "./command-context.js";

const PACKAGE = "@hamkit/identity-import";

/** What the package exports as `keystoneCommands`: functions that add the options and the action of a command. */
export interface KeystoneCommands {
  readonly import: (command: Command, context: CommandContext) => void;
  readonly export: (command: Command, context: CommandContext) => void;
}

const DESCRIPTIONS: Readonly<Record<keyof KeystoneCommands, string>> = {
  import:
    "Import the database of a Keystone (22 or later, on MariaDB, MySQL or PostgreSQL) with its keys, in one transaction. Keystone is only read, and may be running.",
  export:
    "Write the database to that of a Keystone (22 or later), new from keystone-manage db_sync, or to a file of SQL. All or nothing. Tokens and their keys are not exported: users log in again.",
};

export function addKeystoneCommands(program: Command, context: CommandContext): void {
  for (const [name, description] of Object.entries(DESCRIPTIONS))
    withSettings(program.command(name), context).description(description);
  program.hook("preSubcommand", async (_program, command) => {
    const name = command.name();
    if (isKeystoneCommand(name)) (await loadPackage(name))[name](command, context);
  });
}

function isKeystoneCommand(name: string): name is keyof KeystoneCommands {
  return Object.hasOwn(DESCRIPTIONS, name);
}

/** @throws {Error} The package is not installed. */
async function loadPackage(command: string): Promise<KeystoneCommands> {
  const loaded = (await import(PACKAGE).catch(undefinedIfMissing)) as
    | { readonly keystoneCommands: KeystoneCommands }
    | undefined;
  if (loaded !== undefined) return loaded.keystoneCommands;
  throw new Error(
    `${command} needs the package ${PACKAGE}, which is not installed. Install it next to @hamkit/identity: npm install ${PACKAGE}@${packageVersion()}`,
  );
}

/** @throws {Error} Something else fails, such as a package that the package depends on. */
function undefinedIfMissing(error: unknown): undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${PACKAGE}'`)) throw error;
  return undefined;
}
