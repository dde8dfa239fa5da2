/** Compares all rows of a Keystone with the record of the last import. */
import type { Queries } from "@hamkit/identity/import-support/storage";

import type { ConvertedRow } from "../convert-rows.js";
import { createImportReport, type ImportReport, type TableCount } from "../report/import-report.js";
import type { SourceRow } from "../source/keystone-source.js";
import { keyOf, keyText } from "../target-rows.js";
import type { TableTransfer } from "../table-transfer.js";
import { readRecordIndex, type RecordIndex } from "./record-index.js";

/** Changed rows in memory: beyond that, a table is read again. A final update has few. */
const MAX_KEPT_ROWS = 20_000;

export interface TableChanges {
  /** The new and changed rows; `undefined` if they are too many, and the table is to be read again. */
  readonly rows: readonly SourceRow[] | undefined;
  /** In the report, if the table is not to be read again. */
  readonly count: TableCount | undefined;
}

export interface SourceChanges {
  readonly byTransfer: ReadonlyMap<TableTransfer, TableChanges>;
  /** By the table of this service. */
  readonly indexes: ReadonlyMap<string, RecordIndex>;
}

export interface FindChangesOptions {
  readonly transaction: Queries;
  readonly report: ImportReport;
  /** Reads the rows of a table. */
  readonly readTable: (
    transfer: TableTransfer,
    into: { readonly report: ImportReport; readonly count: TableCount },
    store: (rows: readonly ConvertedRow[]) => Promise<void>,
  ) => Promise<void>;
}

/** Reads every row once. */
export async function findChanges(
  transfers: readonly TableTransfer[],
  { transaction, report, readTable }: FindChangesOptions,
): Promise<SourceChanges> {
  const byTransfer = new Map<TableTransfer, TableChanges>();
  const indexes = new Map<string, RecordIndex>();
  let keptCount = 0;
  for (const transfer of transfers) {
    const { to, key } = transfer;
    const index = indexes.get(to) ?? (await readRecordIndex(transaction, to));
    indexes.set(to, index);
    const ownReport = createImportReport();
    const count = ownReport.startTable(transfer.from);
    let rows: SourceRow[] | undefined = [];
    await readTable(transfer, { report: ownReport, count }, async (converted) => {
      for (const { row, sourceDigest, group } of converted) {
        if (index.see(keyText(keyOf(row, key)), sourceDigest) === "same" || rows === undefined) continue;
        keptCount += group.length;
        if (keptCount <= MAX_KEPT_ROWS) rows.push(...group);
        else {
          keptCount -= group.length + rows.length;
          rows = undefined;
        }
      }
    });
    if (rows !== undefined) report.absorb(ownReport);
    byTransfer.set(transfer, { rows, count: rows && report.startTable(transfer.from) });
  }
  return { byTransfer, indexes };
}
