/** `hamkit-identity backup` and `restore`: copies of a SQLite database. */
import type { Command } from "commander";

import { ConfigError, type Config } from "../config.js";
import { migrations } from "../migrations/migrations.js";
import { unknownSteps } from "../platform/database/migrate.js";
import { backUp, restore } from "../platform/database/sqlite/sqlite-copies.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { sqlitePath } from "./open-migrated.js";

export function addBackupCommands(program: Command, context: CommandContext): void {
  withSettings(program.command("backup"), context)
    .description("Copy a SQLite database to a new file. The service may be running.")
    .argument("<file>", "the new file; must not exist")
    .action((to: string, options: SettingsOptions) => {
      const config = settings(context, options);
      backUp({ from: requireSqlite(config, "pg_dump"), to });
      context.stdout.write(`Copied to ${to}. ${keyNotice(config.secrets)}\n`);
    });
  withSettings(program.command("restore"), context)
    .description("Replace the SQLite database by a copy. The service must be stopped.")
    .argument("<file>", "the copy")
    .action((from: string, options: SettingsOptions) => {
      const to = requireSqlite(settings(context, options), "pg_restore");
      const former = restore({ from, to, objection: objectionTo });
      const kept = former === undefined ? "" : ` The former database was moved to ${former}.`;
      context.stdout.write(`Restored ${to} from ${from}.${kept}\n`);
    });
}

function requireSqlite({ database }: Config, alternative: string): string {
  const path = sqlitePath(database.url);
  if (path !== undefined) return path;
  throw new ConfigError("IDENTITY_DATABASE_URL", `is not SQLite: use ${alternative} for PostgreSQL`);
}

function keyNotice({ masterKey, masterKeyFile, masterKeySource }: Config["secrets"]): string {
  if (masterKeySource !== "file")
    return `The master key is included, and needs the key in ${masterKeySource} that wraps it: never delete that, or versions of it.`;
  const place = masterKey === undefined ? masterKeyFile : "IDENTITY_MASTER_KEY";
  return `The master key is not included: back up ${place} separately.`;
}

function objectionTo(steps: readonly string[]): string | undefined {
  if (steps.length === 0) return "is not a database of this service";
  const unknown = unknownSteps(steps, migrations);
  return unknown.length === 0 ? undefined : `was migrated by a newer release (${unknown.join(", ")})`;
}
