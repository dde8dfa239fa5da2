/** Stores the rows of an import: all of the first one, the differences of a later one. */
import type { Queries } from "../platform/database/database.js";
import { leaveOut, type ConversionContext, type ConvertedRow } from "./convert-rows.js";
import {
  findRecorded,
  findUnseen,
  forgetRows,
  markSeen,
  recordRow,
  rowDigest,
  type ImportedRow,
} from "./import-record.js";
import type { TableCount } from "./report/import-report.js";
import { keyOf, keyText, MAX_TARGET_ROWS, type TargetKey, type TargetRows } from "./target-rows.js";
import type { TableTransfer, TargetRow } from "./table-transfer.js";

/** Whose version of a row stays that was changed there and here since the last import. */
export type Preference = "source" | "target";

export interface ApplyContext extends Pick<ConversionContext, "report" | "leftOut"> {
  readonly transaction: Queries;
  readonly target: TargetRows;
  /** The number of this import: 1 for the first. */
  readonly number: number;
  readonly prefer: Preference | undefined;
}

interface Step {
  readonly transfer: TableTransfer;
  readonly count: TableCount;
}

/** Inserts new rows, and records them. */
export async function insertRows(
  rows: readonly ConvertedRow[],
  { transfer, count }: Step,
  { target, report, leftOut, number }: ApplyContext,
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
    for (const { name, sourceId } of some.filter((row) => !stored.includes(row))) {
      count.leftOut++;
      leaveOut(leftOut, transfer.from, sourceId);
      const reason = "its name, or another value that has to be unique, is that of another row";
      report.add("left-out", { table: transfer.from, column: "*", row: name }, reason);
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
  { to, key }: TableTransfer,
  target: TargetRows,
): Promise<ConvertedRow[]> {
  const found = await target.find(
    to,
    key,
    rows.map(({ row }) => keyOf(row, key)),
  );
  return rows.filter(({ row }) => found.has(keyText(keyOf(row, key))));
}

/** Marks the rows that still exist in Keystone. */
export async function markRows(
  rows: readonly ConvertedRow[],
  { to, key }: TableTransfer,
  { transaction, number }: ApplyContext,
): Promise<void> {
  const keys = rows.map(({ row }) => keyText(keyOf(row, key)));
  await markSeen(transaction, { table: to, keys, number });
}

/** Deletes the rows of a table that no longer exist in Keystone, unless they were changed here. */
export async function deleteUnseen({ transfer, count }: Step, context: ApplyContext): Promise<void> {
  const { to, key, volatile = [] } = transfer;
  const ignored = [...key, ...volatile];
  const { transaction, target, number } = context;
  for (let after = ""; ;) {
    const unseen = await findUnseen(transaction, { table: to, number, after });
    if (unseen.length === 0) return;
    after = unseen.at(-1)?.row_key ?? after;
    const keys = unseen.map(({ row_key }) => JSON.parse(row_key) as TargetKey);
    const present = await target.find(to, key, keys);
    const isChanged = ({ row_key, row_digest }: ImportedRow) => {
      const row = present.get(row_key);
      return row !== undefined && rowDigest(row, ignored) !== row_digest;
    };
    const kept = new Set(
      unseen.filter(isChanged).filter(({ row_key }) => keepsOwn(context, transfer, row_key, "deleted there")),
    );
    const deleted = unseen.filter((row) => !kept.has(row)).map(({ row_key }) => row_key);
    await target.delete(
      to,
      key,
      deleted.filter((text) => present.has(text)).map((text) => JSON.parse(text) as TargetKey),
    );
    await forgetRows(
      transaction,
      to,
      unseen.map(({ row_key }) => row_key),
    );
    count.deleted += deleted.length;
  }
}

/** Applies what changed in Keystone since the last import. */
export async function updateRows(
  rows: readonly ConvertedRow[],
  step: Step,
  context: ApplyContext,
): Promise<void> {
  const { to, key, volatile = [] } = step.transfer;
  const ignored = [...key, ...volatile];
  const { transaction, target, number } = context;
  const keys = rows.map(({ row }) => keyOf(row, key));
  const recorded = await findRecorded(transaction, to, keys.map(keyText));
  const changed = rows.filter(({ row, sourceDigest }) => {
    const record = recorded.get(keyText(keyOf(row, key)));
    return record?.source_digest !== sourceDigest;
  });
  if (changed.length === 0) return;
  const present = await target.find(
    to,
    key,
    changed.map(({ row }) => keyOf(row, key)),
  );
  const isNew = ({ row }: ConvertedRow) => {
    const text = keyText(keyOf(row, key));
    return !present.has(text) && !recorded.has(text);
  };
  await insertRows(changed.filter(isNew), step, context);
  for (const each of changed.filter((row) => !isNew(row))) {
    const text = keyText(keyOf(each.row, key));
    const own = present.get(text);
    const ownDigest = own && rowDigest(own, ignored);
    const isChangedHere = ownDigest !== recorded.get(text)?.row_digest;
    const isEqual = ownDigest === rowDigest(each.row, ignored);
    const keeps = isChangedHere && !isEqual && keepsOwn(context, step.transfer, text, "changed there");
    if (!keeps && !isEqual) await storeRow(each.row, own, step, context);
    await recordRow(transaction, {
      table_name: to,
      row_key: text,
      source_digest: each.sourceDigest,
      row_digest: (keeps ? ownDigest : rowDigest(each.row, ignored)) ?? "",
      import_number: number,
    });
  }
}

/** Replaces a row by Keystone's, or inserts it again after its deletion here. */
async function storeRow(
  row: TargetRow,
  own: TargetRow | undefined,
  { transfer: { to, key, volatile = [] }, count }: Step,
  { target }: ApplyContext,
): Promise<void> {
  count.changed++;
  if (own === undefined) await target.insert(to, [row]);
  else await target.replace(to, row, { key, kept: volatile });
}

/** Whether a row that was changed there and here stays as it is here. Reports it, if no side is preferred. */
function keepsOwn(
  { prefer, report }: ApplyContext,
  { from }: TableTransfer,
  row: string,
  there: string,
): boolean {
  if (prefer === undefined)
    report.add("conflict", { table: from, column: "*", row }, `${there}, and changed here`);
  return prefer !== "source";
}
