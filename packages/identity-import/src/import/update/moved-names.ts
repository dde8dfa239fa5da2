/**
 * Names that move from one row to another in an update, such as those of users who swapped theirs.
 *
 * A row whose new name belongs to a row that is still to be changed gets a temporary one, and its own once all rows of the table are
 * changed.
 */
import { leaveOut, type ConvertedRow } from "../convert-rows.js";
import { forgetRows } from "../import-record.js";
import { type ApplyContext, type Step } from "../insert-rows.js";
import { NAME_TAKEN } from "../row-conflicts.js";
import type { TargetRow } from "../table-transfer.js";
import { keyOf, keyText } from "../target-rows.js";
import { succeeds } from "./attempts.js";
import type { RecordIndex } from "./record-index.js";

export type MovedNames = ReturnType<typeof createMovedNames>;

interface Waiting extends Pick<ConvertedRow, "name" | "sourceId" | "row"> {
  readonly isNew: boolean;
}

export function createMovedNames({ transfer, count }: Step, index: RecordIndex, context: ApplyContext) {
  const { transaction, target, report, leftOut } = context;
  const { from, to, key, volatile = [], unique } = transfer;
  const waiting: Waiting[] = [];

  const temporary = (row: TargetRow): TargetRow =>
    unique === undefined
      ? row
      : { ...row, [unique.at(-1) ?? ""]: `import in progress: ${keyText(keyOf(row, key))}` };
  const replace = (row: TargetRow) => target.replace(transfer, row, volatile);

  /** Whether the row that has the name is one that Keystone changed: it will have another one. */
  async function isToMove(row: TargetRow): Promise<boolean> {
    if (unique === undefined) return false;
    const owners = await target.keysOf(to, key, { columns: unique, values: keyOf(row, unique) });
    return owners.some((owner) => index.isChanged(keyText(owner)));
  }

  return {
    /** Inserts a new row under a temporary name. @returns Whether it waits for its own. */
    async insert({ name, sourceId, row }: ConvertedRow): Promise<boolean> {
      if (!(await isToMove(row)) || (await target.insert(to, [temporary(row)])) === 0) return false;
      waiting.push({ name, sourceId, row, isNew: true });
      return true;
    },

    /** Replaces the values of a row. */
    async replace({ name, sourceId, row }: ConvertedRow): Promise<void> {
      if (await succeeds(transaction, () => replace(row))) return;
      waiting.push({ name, sourceId, row, isNew: false });
      if (unique !== undefined) await succeeds(transaction, () => replace(temporary(row)));
    },

    /** Gives the rows that wait their names. */
    async settle(): Promise<void> {
      for (const { name, sourceId, row, isNew } of waiting) {
        if (await succeeds(transaction, () => replace(row))) continue;
        const place = { table: from, column: "*", row: name };
        if (!isNew) {
          report.add(
            "conflict",
            place,
            `changed there, and ${NAME_TAKEN}, which was created here: rename one`,
          );
          continue;
        }
        await target.delete(transfer, [keyOf(row, key)]);
        await forgetRows(transaction, to, [keyText(keyOf(row, key))]);
        count.imported--;
        count.leftOut++;
        leaveOut(leftOut, from, sourceId);
        report.add("left-out", place, NAME_TAKEN);
      }
    },
  };
}
