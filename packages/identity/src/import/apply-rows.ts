/** Stores new rows of an import, and records them. */
import { leaveOut, type ConvertedRow } from "./convert-rows.js";
import { rowDigest } from "./import-record.js";
import { keyOf, keyText, MAX_TARGET_ROWS, type TargetRows } from "./target-rows.js";
import type { TableTransfer } from "./table-transfer.js";
import { NAME_TAKEN, type ApplyContext, type Step } from "./apply-context.js";

/** Inserts new rows, and records them. */
export async function insertRows(
  rows: readonly ConvertedRow[],
  { transfer, count }: Step,
  { target, report, leftOut, number, takenNames }: ApplyContext,
): Promise<void> {
  const { to, key, volatile = [] } = transfer;
  const ignored = [...key, ...volatile];
  for (let start = 0; start < rows.length; start += MAX_TARGET_ROWS) {
    const some = rows.slice(start, start + MAX_TARGET_ROWS);
    const inserted = await target.insert(
      to,
      some.map(({ row }) => row),
    );
    const stored = inserted === some.length ? some : await storedOf(some, transfer, target);
    for (const row of some.filter((each) => !stored.includes(each))) {
      if ((await takenNames?.insert(row)) === true) {
        stored.push(row);
        continue;
      }
      count.leftOut++;
      leaveOut(leftOut, transfer.from, row.sourceId);
      report.add("left-out", { table: transfer.from, column: "*", row: row.name }, NAME_TAKEN);
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

/** The rows that exist after an insert: those that don't collided with others. */
async function storedOf(
  rows: readonly ConvertedRow[],
  transfer: TableTransfer,
  target: TargetRows,
): Promise<ConvertedRow[]> {
  const found = await target.find(
    transfer,
    rows.map(({ row }) => keyOf(row, transfer.key)),
  );
  return rows.filter(({ row }) => found.has(keyText(keyOf(row, transfer.key))));
}
