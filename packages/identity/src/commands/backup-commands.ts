/** `hamkit-identity backup` and `restore` */
import type { Command } from "commander";

import { ConfigError, type Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import { unknownSteps } from "../platform/database/migrations.js";
import { backUp, restore } from "../platform/database/sqlite/sqlite-copies.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { sqlitePath } from "./open-migrated.js";

export function addBackupCommands(program: Command, context: CommandContext): void {
  withSettings(program.command("backup"), context)
    .description("Copy a SQLite database into a new file, while the service runs.")
    .argument("<file>", "where the copy goes; must not exist")
    .action((to: string, options: SettingsOptions) => {
      const config = settings(context, options);
      backUp({ from: requireSqlite(config, "pg_dump"), to });
      context.stdout.write(
        `${to} is a copy. The master key is not in it: keep ${keyPlace(config)} elsewhere.\n`,
      );
    });
  withSettings(program.command("restore"), context)
    .description("Put a copy in the place of the SQLite database, while the service is stopped.")
    .argument("<file>", "the copy")
    .action((from: string, options: SettingsOptions) => {
      const to = requireSqlite(settings(context, options), "pg_restore");
      const former = restore({ from, to, objection: objectionTo });
      const kept = former === undefined ? "" : ` The database that was there is ${former} now.`;
      context.stdout.write(`${to} is ${from} now.${kept}\n`);
    });
}

function requireSqlite({ databaseUrl }: Config, otherwise: string): string {
  const path = sqlitePath(databaseUrl);
  if (path !== undefined) return path;
  throw new ConfigError("IDENTITY_DATABASE_URL", `is not SQLite; PostgreSQL has ${otherwise} for this`);
}

function keyPlace({ masterKey, masterKeyFile }: Config): string {
  return masterKey === undefined ? masterKeyFile : "IDENTITY_MASTER_KEY";
}

function objectionTo(steps: readonly string[]): string | undefined {
  if (steps.length === 0) return "is no database of this service";
  const unknown = unknownSteps(steps, migrations);
  return unknown.length === 0 ? undefined : `is of a newer release, which also has ${unknown.join(", ")}`;
}
