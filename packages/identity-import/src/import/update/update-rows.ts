/** Applies what changed in Keystone since the last import. */
import type { ConvertedRow } from "../convert-rows.js";
import { findRecorded, recordRow, rowDigest } from "../import-record.js";
import { type ApplyContext, type Step } from "../insert-rows.js";
import { insertRows } from "../insert-rows.js";
import { keepsOwn, NAME_TAKEN } from "../row-conflicts.js";
import { keyOf, keyText } from "../target-rows.js";
import { attempt } from "./attempts.js";
import type { MovedNames } from "./moved-names.js";

/** @param rows Those without a change since the last import are skipped. */
export async function updateRows(
  rows: readonly ConvertedRow[],
  step: Step,
  context: ApplyContext & { readonly movedNames: MovedNames },
): Promise<void> {
  const { to, key, volatile = [] } = step.transfer;
  const ignored = [...key, ...volatile];
  const { transaction, target, number, movedNames } = context;
  const textOf = ({ row }: ConvertedRow) => keyText(keyOf(row, key));
  const recorded = await findRecorded(transaction, to, rows.map(textOf));
  const changed = rows.filter((row) => recorded.get(textOf(row))?.source_digest !== row.sourceDigest);
  if (changed.length === 0) return;
  const present = await target.find(
    step.transfer,
    changed.map(({ row }) => keyOf(row, key)),
  );
  const isNew = (row: ConvertedRow) => !present.has(textOf(row)) && !recorded.has(textOf(row));
  await insertRows(changed.filter(isNew), step, context);
  for (const each of changed.filter((row) => !isNew(row))) {
    const text = textOf(each);
    const own = present.get(text);
    const ownDigest = own && rowDigest(own, ignored);
    const isChangedHere = ownDigest !== recorded.get(text)?.row_digest;
    const isEqual = ownDigest === rowDigest(each.row, ignored);
    const keeps = isChangedHere && !isEqual && keepsOwn(context, step.transfer, text, "changed there");
    if (!keeps && !isEqual) {
      // Inserted again after its deletion here.
      if (own === undefined) {
        const insert = async () => (await target.insert(to, [each.row])) === 1;
        const reason = await attempt(transaction, insert, NAME_TAKEN);
        if (reason !== undefined) {
          const place = { table: step.transfer.from, column: "*", row: each.name };
          context.report.add("conflict", place, `changed there, and ${reason}`);
          continue;
        }
      } else await movedNames.replace(each);
      step.count.changed++;
    }
    await recordRow(transaction, {
      table_name: to,
      row_key: text,
      source_digest: each.sourceDigest,
      row_digest: (keeps ? ownDigest : rowDigest(each.row, ignored)) ?? "",
      import_number: number,
    });
  }
}
