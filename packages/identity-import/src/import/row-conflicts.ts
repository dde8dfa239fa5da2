/** Conflicts of rows: values that another row has, and rows that were changed there and here. */
import type { ImportReport } from "./report/import-report.js";
import type { TableTransfer } from "./table-transfer.js";

/** Whose version of a row stays that was changed there and here since the last import. */
export type Preference = "source" | "target";

/** Why a row is not imported, or an update refused. */
export const NAME_TAKEN = "its name, or another value that has to be unique, is that of another row";

/** Whether a row that was changed there and here stays as it is here. Reports it, if no side is preferred. */
export function keepsOwn(
  { prefer, report }: { readonly prefer: Preference | undefined; readonly report: ImportReport },
  { from }: TableTransfer,
  row: string,
  there: string,
): boolean {
  if (prefer === undefined)
    report.add("conflict", { table: from, column: "*", row }, `${there}, and changed here`);
  return prefer !== "source";
}
