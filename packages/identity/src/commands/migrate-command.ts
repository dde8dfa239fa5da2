/** `hamkit-identity migrate`: applies pending migrations, or reports them. */
import type { Command } from "commander";

import { migrations } from "../migrations/migrations.js";
import { migrate } from "../platform/database/migrate.js";
import { openDatabase } from "../platform/database/open-database.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openWithStep } from "./open-migrated.js";
import { describePending } from "./pending-migrations.js";

interface MigrateOptions extends SettingsOptions {
  readonly check?: true;
}

export function addMigrateCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("migrate"), context)
    .description(
      "Create the database, or migrate it to this release, as serve does. Irreversible except by restoring a backup; the former release runs with steps that only add to the schema.",
    )
    .option(
      "--check",
      "only report the pending migrations, whether the former release runs with them, and how long they take",
    )
    .action(async (options: MigrateOptions) => {
      const { databaseUrl } = settings(context, options);
      const lines = await (options.check === true ? check(databaseUrl) : apply(databaseUrl));
      context.stdout.write(`${lines.join("\n")}\n`);
    });
}

async function apply(databaseUrl: string): Promise<readonly string[]> {
  const database = openDatabase(databaseUrl);
  try {
    const steps = await migrate(database, migrations);
    return steps.length === 0 ? ["The database is up to date."] : steps;
  } finally {
    await database.close();
  }
}

/** @throws {NewerDatabaseError} */
async function check(databaseUrl: string): Promise<readonly string[]> {
  const database = await openWithStep(databaseUrl, migrations[0]?.name ?? "");
  try {
    return await describePending(database, migrations);
  } finally {
    await database.close();
  }
}
