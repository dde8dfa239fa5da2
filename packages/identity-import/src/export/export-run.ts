/** Exports this service's database to a Keystone: the transfers of an import, backwards. */
import {
  type Database,
  type MasterKey,
  newId,
  type Queries,
  sql,
  unsealSecret,
} from "@hamkit/identity/import-support/storage";

import { createImportReport, type ImportReport, type TableCount } from "../import/report/import-report.js";
import type { ImportProgress } from "../import/import-run.js";
import { returnedEvents } from "../import/revocation-events.js";
import type {
  ReturnContext,
  ReturnedRow,
  ReturnedTable,
  ReturnedValue,
  TargetRow,
} from "../import/table-transfer.js";
import { TRANSFERS } from "../import/transfers/transfers.js";
import { ExportError } from "./export-errors.js";
import type { KeystoneTarget } from "./keystone-target.js";
import { readRows } from "./read-rows.js";
import { insertTexts } from "./sql-text.js";

export interface ExportDeps extends Pick<ReturnContext, "encryptBlob" | "defaultAuthorizationTtl"> {
  /** Migrated. */
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly target: KeystoneTarget;
  readonly onProgress: (progress: ImportProgress) => void;
}

const RETURNED: readonly ReturnedTable[] = [...TRANSFERS, returnedEvents];

/** Keystone's columns of numbers that other tables refer to. */
const NUMBERED: Readonly<Record<string, string>> = {
  local_user: "id",
  application_credential: "internal_id",
  access_rule: "id",
};

/**
 * The whole database as of one moment. The caller commits the target.
 *
 * @throws {ExportError} A value is not accepted. {@link SealError} {@link DatabaseUnavailable}
 */
export async function runExport(deps: ExportDeps): Promise<ImportReport> {
  const { database, target } = deps;
  const report = createImportReport();
  const numbers = createNumbers();
  const writer = createWriter(target);
  await database.transaction(
    async (transaction) => {
      await takeSnapshot(transaction, database.kind);
      const total = await countRows(transaction);
      let done = 0;
      for (const table of RETURNED) {
        const count = report.startTable(table.from);
        const context = { ...deps, table, count, report, numbers };
        const returnRow = createReturnRow(context);
        for await (const rows of readRows(transaction, database.kind, table)) {
          await writeRows(rows, { ...context, writer, returnRow });
          done += rows.length;
          deps.onProgress({ table: table.from, done, total });
        }
      }
    },
    { changes: [] },
  );
  await writer.end();
  if (target.kind === "postgres") await setSequences(target, numbers);
  return report;
}

/** A moment that no other transaction can conflict with: so the work runs once. On SQLite nothing else writes. */
async function takeSnapshot(transaction: Queries, kind: Database["kind"]): Promise<void> {
  if (kind !== "postgres") return;
  const tables = transaction.tables();
  await sql`set transaction read only, deferrable`.execute(tables);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tables);
  await sql`set local statement_timeout = 0`.execute(tables);
}

async function countRows(transaction: Queries): Promise<number> {
  let total = 0;
  for (const table of new Set(RETURNED.map(({ to }) => to))) {
    const { rows } = await sql<{ count: unknown }>`select count(*) as count from ${sql.table(table)}`.execute(
      transaction.tables(),
    );
    total += Number(rows[0]?.count ?? 0);
  }
  return total;
}

interface TableContext extends ExportDeps {
  readonly table: ReturnedTable;
  readonly count: TableCount;
  readonly report: ImportReport;
  readonly numbers: Numbers;
}

/** Writes the rows, then those of other tables that are parts of them. */
async function writeRows(
  rows: readonly TargetRow[],
  {
    table,
    count,
    target,
    writer,
    returnRow,
  }: TableContext & { readonly writer: Writer; readonly returnRow: ReturnRow },
): Promise<void> {
  const byTable = new Map<string, ReturnedRow[]>([[table.from, []]]);
  for (const row of rows) {
    count.read++;
    const returned = returnRow(row);
    if (returned.length === 0) count.leftOut++;
    else count.imported++;
    for (const [name, part] of returned) {
      const parts = byTable.get(name) ?? [];
      parts.push(part);
      byTable.set(name, parts);
    }
  }
  for (const [name, parts] of byTable)
    for (const statement of insertTexts(target.kind, name, parts)) await writer.write(statement, name);
}

type Writer = ReturnType<typeof createWriter>;

/** Writes a statement while the next rows are converted. */
function createWriter(target: KeystoneTarget) {
  let last = Promise.resolve();
  return {
    /** @throws {ExportError} This statement is rejected, or the one before it. */
    async write(statement: string, table: string): Promise<void> {
      await last;
      last = target.write(statement).catch((cause: unknown) => {
        throw new ExportError("export/rejected", `Keystone's table ${table} does not take all rows`, {
          cause,
        });
      });
      // It is awaited before the next one.
      last.catch(() => {});
    },
    /** @throws {ExportError} */
    end: (): Promise<void> => last,
  };
}

/** The row of Keystone's table, and its parts in others; none if it has no place there. */
type ReturnRow = (row: TargetRow) => readonly (readonly [string, ReturnedRow])[];

/** Converts the rows of one table. Its functions are made once: there may be a million rows. */
function createReturnRow(context: TableContext): ReturnRow {
  const { table, report, numbers, target, masterKey } = context;
  const { from, columns, newerColumns = [], key, to, back } = table;
  let current: TargetRow = {};
  const place = (column: string) => ({
    table: to,
    column,
    row: key.map((name) => current[name] ?? "").join("/"),
  });
  const returning: ReturnContext = {
    ...context,
    ...numbers,
    newId,
    hasColumn: target.hasColumn,
    unseal: (sealed, sealedPlace) => unsealSecret(masterKey, sealed, sealedPlace),
    note: (column, reason) => report.add("note", place(column), reason),
    leaveOut(column, reason) {
      report.add("left-out", place(column), reason);
      return undefined;
    },
  };
  const copied = [...columns, ...newerColumns.filter((column) => target.hasColumn(from, column))].filter(
    (column) => back.omitted?.includes(column) !== true,
  );
  return (row) => {
    current = row;
    const changes = back.change === undefined ? {} : back.change(row, returning);
    if (changes === undefined) return [];
    const returned: Record<string, ReturnedValue> = {};
    for (const column of copied)
      if (!(column in changes)) returned[column] = (row[column] ?? null) as ReturnedValue;
    Object.assign(returned, changes);
    return [[from, returned], ...(back.parts?.(row, returning) ?? [])];
  };
}

type Numbers = ReturnType<typeof createNumbers>;

/** The numbers of rows that Keystone's tables refer to. */
function createNumbers() {
  const byTable = new Map<string, Map<string, number>>();
  return {
    byTable,
    hasNumber: (table: string, id: string): boolean => byTable.get(table)?.has(id) === true,
    numberOf(table: string, id: string): number {
      const known = byTable.get(table) ?? new Map<string, number>();
      byTable.set(table, known);
      const number = known.get(id) ?? known.size + 1;
      known.set(id, number);
      return number;
    },
  };
}

/** PostgreSQL does not see which numbers were given. */
async function setSequences(target: KeystoneTarget, { byTable }: Numbers): Promise<void> {
  for (const [table, numbers] of byTable) {
    const column = NUMBERED[table];
    if (column !== undefined)
      await target.write(`select setval(pg_get_serial_sequence('${table}', '${column}'), ${numbers.size})`);
  }
}
