/** Stores new rows of an import, and records them; and what all steps that store rows share. */
import type { Queries } from "@hamkit/identity/import-support/storage";

import { leaveOut, type ConversionContext, type ConvertedRow } from "./convert-rows.js";
import { rowDigest } from "./import-record.js";
import type { ImportReport, TableCount } from "./report/import-report.js";
import { NAME_TAKEN, type Preference } from "./row-conflicts.js";
import type { TableTransfer } from "./table-transfer.js";
import { keyOf, keyText, MAX_TARGET_ROWS, type TargetRows } from "./target-rows.js";
import { attempt, succeeds } from "./update/attempts.js";

export interface ApplyContext extends Pick<ConversionContext, "leftOut"> {
  readonly report: ImportReport;
  readonly transaction: Queries;
  readonly target: TargetRows;
  /** The number of this import: 1 for the first. */
  readonly number: number;
  readonly prefer: Preference | undefined;
  /** In an update: names that other rows are about to give up. */
  readonly movedNames?: {
    /** Inserts a new row under a temporary name. @returns Whether it waits for its own. */
    insert(row: ConvertedRow): Promise<boolean>;
  };
}

export interface Step {
  readonly transfer: TableTransfer;
  readonly count: TableCount;
}

/** Inserts new rows, and records them. */
export async function insertRows(
  rows: readonly ConvertedRow[],
  { transfer, count }: Step,
  { transaction, target, report, leftOut, number, movedNames }: ApplyContext,
): Promise<void> {
  const { to, key, volatile = [] } = transfer;
  const ignored = [...key, ...volatile];
  for (let start = 0; start < rows.length; start += MAX_TARGET_ROWS) {
    const some = rows.slice(start, start + MAX_TARGET_ROWS);
    const insert = (part: readonly ConvertedRow[]) => async () =>
      (await target.insert(
        to,
        part.map(({ row }) => row),
      )) === part.length;
    let stored: ConvertedRow[] = [...some];
    // One by one only where the database rejects one of them: then the report names it.
    if (!(await succeeds(transaction, insert(some)))) {
      stored = [];
      for (const row of some) {
        const reason = await attempt(transaction, insert([row]), NAME_TAKEN);
        if (reason === undefined || (reason === NAME_TAKEN && (await movedNames?.insert(row)) === true)) {
          stored.push(row);
          continue;
        }
        count.leftOut++;
        leaveOut(leftOut, transfer.from, row.sourceId);
        report.add("left-out", { table: transfer.from, column: "*", row: row.name }, reason);
      }
    }
    count.imported += stored.length;
    const records = stored.map(({ row, sourceDigest }) => ({
      table_name: to,
      row_key: keyText(keyOf(row, key)),
      source_digest: sourceDigest,
      row_digest: rowDigest(row, ignored),
      import_number: number,
    }));
    await target.insert("imported_row", records);
  }
}
