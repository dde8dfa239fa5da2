/** `hamkit-identity migrate`: applies pending migrations. */
import type { Command } from "commander";

import { migrations } from "../migrations/migrations.js";
import { migrate } from "../platform/database/migrations.js";
import { openDatabase } from "../platform/database/open-database.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

export function addMigrateCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("migrate"), context)
    .description(
      "Create the database, or migrate it to this release, as serve does. Irreversible except by restoring a backup.",
    )
    .action(async (options: SettingsOptions) => {
      const database = openDatabase(settings(context, options).databaseUrl);
      try {
        const steps = await migrate(database, migrations);
        const lines = steps.length === 0 ? ["The database is up to date."] : steps;
        context.stdout.write(`${lines.join("\n")}\n`);
      } finally {
        await database.close();
      }
    });
}
