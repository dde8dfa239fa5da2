/** `hamkit-identity export`: the way back to a Keystone. */
import { Option, type Command } from "commander";

import { COMMAND_VARIABLES, ConfigError } from "../../config.js";
import { SCHEMAS, type SchemaName } from "../../export/sql-file-target.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "../command-context.js";
import { addressFrom } from "./database-address.js";

/** Databases of a Keystone, by the names that operators use. */
const DATABASES = { mariadb: "mysql", mysql: "mysql", postgresql: "postgres" } as const;

interface ExportCommandOptions extends SettingsOptions {
  readonly to?: string;
  readonly toEnv?: string;
  readonly toFile?: string;
  readonly sql?: string;
  readonly for?: keyof typeof DATABASES;
  readonly schema?: SchemaName;
  readonly keystoneConf?: string;
  readonly credentialKeys?: string;
}

export function addExportCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("export"), context)
    .description(
      "Write the database to that of a Keystone (22 or later), new from keystone-manage db_sync, or to a file of SQL. All or nothing. Tokens and their keys are not exported: users log in again.",
    )
    .option(
      "--to <url>",
      `the address of Keystone's database, without a password; else ${COMMAND_VARIABLES.exportAddress}, or [database] connection of --keystone-conf`,
    )
    .option("--to-env <name>", "an environment variable that holds the address")
    .option("--to-file <file>", "a file that holds the address")
    .option("--sql <file>", "write a new file of SQL instead, which only its owner can read")
    .addOption(
      new Option("--for <database>", "the database that will read the file").choices(Object.keys(DATABASES)),
    )
    .addOption(
      new Option("--schema <release>", "the schema of the file: of Keystone 22, or of the newest").choices(
        SCHEMAS,
      ),
    )
    .option("--keystone-conf <file>", "keystone.conf: for the address, and the keys of credentials")
    .option(
      "--credential-keys <folder>",
      "[credential] key_repository, to encrypt credentials; made with new keys if it does not exist",
    )
    .action((options: ExportCommandOptions) => runCommand(context, options));
}

async function runCommand(context: CommandContext, options: ExportCommandOptions): Promise<void> {
  const config = settings(context, options);
  // Loaded on demand: other commands start faster.
  const { exportKeystone } = await import("./keystone-export.js");
  const lines = await exportKeystone(config, {
    address: addressFrom(context.env, {
      option: "to",
      variable: COMMAND_VARIABLES.exportAddress,
      url: options.to,
      name: options.toEnv,
      file: options.toFile,
    }),
    sqlFile: sqlFileOf(options),
    keystoneConf: options.keystoneConf,
    credentialKeys: options.credentialKeys,
    stderr: context.stderr,
    isInteractive: context.isInteractive,
  });
  context.stdout.write(`${lines.join("\n")}\n`);
}

/** @throws {ConfigError} An option is missing, or does not belong to it. */
function sqlFileOf({ sql: path, for: database, schema, ...others }: ExportCommandOptions) {
  if (path === undefined) {
    const option = database === undefined ? "--schema" : "--for";
    if (database === undefined && schema === undefined) return undefined;
    throw new ConfigError(option, "is only for --sql: a database has its schema");
  }
  if ([others.to, others.toEnv, others.toFile].some((given) => given !== undefined))
    throw new ConfigError("--sql", "give a file or a database, not both");
  if (database === undefined)
    throw new ConfigError("--for", `is missing: expected one of ${Object.keys(DATABASES).join(", ")}`);
  if (schema === undefined)
    throw new ConfigError("--schema", `is missing: expected one of ${SCHEMAS.join(", ")}`);
  return { path, kind: DATABASES[database], schema };
}
