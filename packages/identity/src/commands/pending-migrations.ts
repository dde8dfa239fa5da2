/** What the pending migrations will do, and how long they take. */
import type { Database } from "../platform/database/database.js";
import { indexStatement, missingSteps, stepsTaken, type Migration } from "../platform/database/migrate.js";
import { createMigrationTimes, type MigrationTimes } from "./migration-times.js";

/** Writes that wait longer get 503 (`IDENTITY_DATABASE_LOCK_TIMEOUT`): an index that takes so long is better created beforehand. */
const MAX_WAIT_SECONDS = 2;

/** Lines for the operator. Changes nothing. @param times Measured on the database, if left out. */
export async function describePending(
  database: Database,
  migrations: readonly Migration[],
  times: MigrationTimes = createMigrationTimes(database),
): Promise<readonly string[]> {
  const pending = missingSteps(await stepsTaken(database), migrations);
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
