/** Deletes what no longer exists in Keystone. */
import { forgetRows, readRecorded, rowDigest } from "../import-record.js";
import { type ApplyContext, type Step } from "../insert-rows.js";
import { keepsOwn } from "../row-conflicts.js";
import type { TargetKey } from "../table-transfer.js";
import { succeeds } from "./attempts.js";
import type { RecordIndex } from "./record-index.js";

/** Deletes the rows of a table that no longer exist in Keystone, unless they were changed here. */
export async function deleteUnseen(
  { transfer, count }: Step,
  index: RecordIndex,
  context: ApplyContext,
): Promise<void> {
  if (index.unseenCount() === 0) return;
  const { to, key, volatile = [] } = transfer;
  const ignored = [...key, ...volatile];
  const { transaction, target } = context;
  for await (const records of readRecorded(transaction, to)) {
    const unseen = records.filter(({ row_key }) => !index.isSeen(row_key));
    if (unseen.length === 0) continue;
    const keys = unseen.map(({ row_key }) => JSON.parse(row_key) as TargetKey);
    const present = await target.find(transfer, keys);
    const isChanged = ({ row_key, row_digest }: (typeof unseen)[number]) => {
      const row = present.get(row_key);
      return row !== undefined && rowDigest(row, ignored) !== row_digest;
    };
    const kept = new Set(
      unseen.filter(isChanged).filter(({ row_key }) => keepsOwn(context, transfer, row_key, "deleted there")),
    );
    const deleted = unseen
      .filter((row) => !kept.has(row) && present.has(row.row_key))
      .map(({ row_key }) => row_key);
    count.deleted += await deleteRows(deleted, { transfer, count }, context);
    await forgetRows(
      transaction,
      to,
      unseen.map(({ row_key }) => row_key),
    );
  }
}

/** @returns The number of deleted rows: without those that rows created here refer to, which are reported. */
async function deleteRows(
  texts: readonly string[],
  { transfer }: Step,
  { transaction, target, report, prefer }: ApplyContext,
): Promise<number> {
  const { from } = transfer;
  const remove = (some: readonly string[]) =>
    succeeds(transaction, () =>
      target.delete(
        transfer,
        some.map((text) => JSON.parse(text) as TargetKey),
      ),
    );
  if (texts.length === 0 || (await remove(texts))) return texts.length;
  let deleted = 0;
  for (const text of texts) {
    if (await remove([text])) deleted++;
    else if (prefer !== "target")
      report.add(
        "conflict",
        { table: from, column: "*", row: text },
        "deleted there, and used by rows that were created here: delete those, or use --prefer target",
      );
  }
  return deleted;
}
