/** What the steps that store rows share. */
import type { Queries } from "../platform/database/database.js";
import type { ConversionContext, ConvertedRow } from "./convert-rows.js";
import type { ImportReport, TableCount } from "./report/import-report.js";
import type { TableTransfer } from "./table-transfer.js";
import type { TargetRows } from "./target-rows.js";

/** Whose version of a row stays that was changed there and here since the last import. */
export type Preference = "source" | "target";

export interface ApplyContext extends Pick<ConversionContext, "leftOut"> {
  readonly report: ImportReport;
  readonly transaction: Queries;
  readonly target: TargetRows;
  /** The number of this import: 1 for the first. */
  readonly number: number;
  readonly prefer: Preference | undefined;
  /** In an update: names that other rows are about to give up. */
  readonly takenNames?: {
    /** Inserts a new row under a temporary name. @returns Whether it waits for its own. */
    insert(row: ConvertedRow): Promise<boolean>;
  };
}

export interface Step {
  readonly transfer: TableTransfer;
  readonly count: TableCount;
}

/** Why a row is not imported, or an update refused. */
export const NAME_TAKEN = "its name, or another value that has to be unique, is that of another row";

/** Whether a row that was changed there and here stays as it is here. Reports it, if no side is preferred. */
export function keepsOwn(
  { prefer, report }: ApplyContext,
  { from }: TableTransfer,
  row: string,
  there: string,
): boolean {
  if (prefer === undefined)
    report.add("conflict", { table: from, column: "*", row }, `${there}, and changed here`);
  return prefer !== "source";
}
