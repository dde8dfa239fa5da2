/** `hamkit-identity migrate`: applies pending migrations, or reports them and how long they take. */
import type { Command } from "commander";

import { migrations } from "../migrations/migrations.js";
import { MIGRATION_WAITS, type Database } from "../platform/database/database.js";
import {
  migrate,
  indexStatement,
  missingSteps,
  stepsTaken,
  type Migration,
} from "../platform/database/migrate.js";
import { openDatabase } from "../platform/database/open-database.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { createMigrationTimes, type MigrationTimes } from "./migration-times.js";
import { openWithStep } from "./open-migrated.js";

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
      const { url } = settings(context, options).database;
      const lines = await (options.check === true ? check(url) : apply(url, context));
      context.stdout.write(`${lines.join("\n")}\n`);
    });
}

async function apply(databaseUrl: string, { stderr }: CommandContext): Promise<readonly string[]> {
  const onMigrationWait = () => stderr.write(`${MIGRATION_WAITS}\n`);
  const database = openDatabase(databaseUrl, { onMigrationWait });
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

/** Writes that wait longer get 503 (`IDENTITY_DATABASE_LOCK_TIMEOUT`): an index that takes so long is better created beforehand. */
const MAX_WAIT_SECONDS = 2;

/** Lines for the operator. Changes nothing. @param times Measured on the database, if left out. */
export async function describePending(
  database: Database,
  known: readonly Migration[],
  times: MigrationTimes = createMigrationTimes(database),
): Promise<readonly string[]> {
  const pending = missingSteps(await stepsTaken(database), known);
  if (pending.length === 0) return ["The database is up to date."];
  const lines: string[] = [];
  const beforehand: string[] = [];
  let totalSeconds = 0;
  for (const { name, expands = false, indexes = [], reads = [] } of pending) {
    lines.push(
      `${name}: ${expands ? "only adds to the schema: the former release runs with it" : "changes what the former release uses: it does not start afterwards"}`,
    );
    if (indexes.length + reads.length === 0) lines.push("  depends on no number of rows: less than a second");
    for (const index of indexes) {
      const { rows, seconds } = await times.index(index);
      totalSeconds += seconds;
      lines.push(
        `  creates the index ${index.name} of ${tableText(index.table, rows)}: ${timeText(seconds)}`,
      );
      if (database.kind === "postgres" && seconds > MAX_WAIT_SECONDS)
        beforehand.push(`  ${indexStatement(index, true).compile(database.tables()).sql};`);
    }
    for (const table of reads) {
      const { rows, seconds } = await times.copy(table);
      totalSeconds += seconds;
      lines.push(`  copies or changes ${tableText(table, rows)}: ${timeText(seconds)}`);
    }
  }
  const kind = pending.every(({ expands }) => expands === true)
    ? "Replicas of the former release may keep running."
    : "Stop the replicas of the former release first.";
  lines.push(
    `${pending.length} pending, ${timeText(totalSeconds)} in all, in one transaction: writes to these tables wait meanwhile. ${kind}`,
  );
  if (beforehand.length > 0)
    lines.push("To delay no writes, create these indexes before, with psql; the migration then finds them:");
  return [...lines, ...beforehand];
}

function tableText(table: string, rows: number): string {
  return `${table} (${rows.toLocaleString("en")} rows)`;
}

function timeText(seconds: number): string {
  return seconds < 1 ? "less than a second" : `about ${Math.ceil(seconds)} s`;
}
