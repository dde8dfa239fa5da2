/** `hamkit-identity export`: the way back to a Keystone. */
import { existsSync } from "node:fs";

import {
  allowHeapGrowth,
  COMMAND_VARIABLES,
  ConfigError,
  settings,
  type Command,
  type CommandContext,
  type Config,
  type SettingsOptions,
} from "@hamkit/identity/import-support/command-line";
import { masterKeyOf, openMigrated, systemClock as clock } from "@hamkit/identity/import-support/storage";

import { openDatabaseTarget } from "../export/database-target.js";
import { runExport } from "../export/export-run.js";
import { openSqlFile, SCHEMAS, type SchemaName, type SqlFileOptions } from "../export/sql-file-target.js";
import { openCredentialKeys } from "../import/credential-keys.js";
import { createKeyFolder } from "../import/key-folder.js";
import { readKeystoneConf } from "../import/keystone-conf.js";
import { createProgressBar } from "../import/report/import-progress.js";
import { writeReport } from "../import/report/import-report.js";
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

export function defineExport(command: Command, context: CommandContext): void {
  command
    .option(
      "--to <url>",
      `the address of Keystone's database, without a password; else ${COMMAND_VARIABLES.exportAddress}, or [database] connection of --keystone-conf`,
    )
    .option("--to-env <name>", "an environment variable that holds the address")
    .option("--to-file <file>", "a file that holds the address")
    .option("--sql <file>", "write a new file of SQL instead, which only its owner can read")
    .addOption(
      command
        .createOption("--for <database>", "the database that will read the file")
        .choices(Object.keys(DATABASES)),
    )
    .addOption(
      command
        .createOption("--schema <release>", "the schema of the file: of Keystone 22, or of the newest")
        .choices(SCHEMAS),
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

interface KeystoneExportOptions {
  /** Of Keystone's database: a secret. */
  readonly address: string | undefined;
  readonly sqlFile: SqlFileOptions | undefined;
  readonly keystoneConf: string | undefined;
  readonly credentialKeys: string | undefined;
  readonly stderr: { write(text: string): unknown };
  readonly isInteractive: boolean;
}

const NOT_EXPORTED =
  "Not exported: tokens, and the keys of tokens and of SAML. Users log in again; give Keystone new Fernet keys.";

/** @returns Lines for the operator. @throws {ConfigError} {@link ExportError} {@link ImportError} {@link KeystoneConfError} */
async function exportKeystone(config: Config, options: KeystoneExportOptions): Promise<string[]> {
  allowHeapGrowth();
  const conf = options.keystoneConf === undefined ? undefined : readKeystoneConf(options.keystoneConf);
  const address = options.address ?? conf?.databaseUrl;
  const open = openerOf(options.sqlFile, address);
  const database = await openMigrated(config.database.url);
  const bar = createProgressBar({ ...options, clock });
  let undo: (() => void) | undefined;
  try {
    const masterKey = await masterKeyOf(config, database);
    const target = await open();
    try {
      const folder = options.credentialKeys ?? conf?.credentialKeys;
      if (folder !== undefined && !existsSync(folder)) undo = createKeyFolder(folder);
      const keys = folder === undefined ? undefined : openCredentialKeys(folder);
      const report = await runExport({
        database,
        masterKey,
        target,
        encryptBlob: keys && ((text) => keys.encrypt(text, clock.now())),
        defaultAuthorizationTtl: conf?.defaultAuthorizationTtlMinutes ?? 0,
        onProgress: (progress) => bar.show(progress),
      });
      await target.commit();
      undo = undefined;
      bar.end();
      const rows = report.counts.reduce((sum, { imported }) => sum + imported, 0);
      return [...writeReport(report, "exported"), "", NOT_EXPORTED, `${rows} rows were exported.`];
    } finally {
      await target.close();
    }
  } finally {
    undo?.();
    bar.end();
    await database.close();
  }
}

/** @throws {ConfigError} */
function openerOf(sqlFile: SqlFileOptions | undefined, address: string | undefined) {
  if (sqlFile !== undefined) return () => openSqlFile(sqlFile);
  if (address !== undefined) return () => openDatabaseTarget(address);
  throw new ConfigError(
    COMMAND_VARIABLES.exportAddress,
    "is not set: expected the address of Keystone's database, there or in --to, --to-env, --to-file or --keystone-conf; or a file in --sql",
  );
}
