/** Imports a Keystone's database in one transaction: all or nothing. */
import { sql } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { sealingIn } from "../platform/secrets/master-key-in-force.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import {
  deleteUnseen,
  insertRows,
  markRows,
  updateRows,
  type ApplyContext,
  type Preference,
} from "./apply-rows.js";
import { enlargeCache, withoutIndexes } from "./bulk-indexes.js";
import { convertRows, createLeftOut, type ConversionContext, type ConvertedRow } from "./convert-rows.js";
import { ImportError } from "./import-errors.js";
import { lastImport } from "./import-record.js";
import { createImportReport, type ImportReport, type TableCount } from "./report/import-report.js";
import { readAll, type KeystoneSource } from "./source/keystone-source.js";
import { checkSourceSchema, readSourceSchema, type SourceSchema } from "./source/source-schema.js";
import { rowCountQuery, transferQuery, type TableTransfer } from "./table-transfer.js";
import { createTargetRows } from "./target-rows.js";
import { LEFT_OUT_TABLES, TRANSFERS } from "./transfers/transfers.js";

export interface ImportDeps {
  readonly source: KeystoneSource;
  /** Migrated. */
  readonly database: Database;
  readonly masterKey: MasterKey;
  /** Decrypts the blob of a credential; without it credentials are not imported. */
  readonly openBlob: ((encrypted: string, keyHash?: string | null) => string) | undefined;
  /** Minutes: `[federation] default_authorization_ttl` of Keystone. */
  readonly defaultAuthorizationTtl: number;
  readonly now: Moment;
  readonly onProgress: (progress: ImportProgress) => void;
  /** What else is part of the transaction. */
  readonly afterRows: (transaction: Queries, report: ImportReport) => Promise<void>;
}

export interface ImportProgress {
  /** Keystone's table that is read. */
  readonly table: string;
  /** Rows, of this many. */
  readonly done: number;
  readonly total: number;
}

export interface ImportOptions {
  /** Only the report: nothing is imported. */
  readonly isDryRun: boolean;
  /** Brings in what changed since the last import, instead of a first import into an empty database. */
  readonly isUpdate: boolean;
  readonly prefer?: Preference | undefined;
}

export interface ImportResult {
  readonly report: ImportReport;
  /** `conflicts`: rows were changed there and here, and no side was preferred. */
  readonly outcome: "imported" | "dry-run" | "conflicts";
}

/**
 * @throws {ImportError} The schema is unknown; the database is not empty, or nothing was imported that an update could start from.
 * @throws {MasterKeyNotInForce} {@link DatabaseUnavailable}
 */
export async function runImport(deps: ImportDeps, options: ImportOptions): Promise<ImportResult> {
  const { source, database } = deps;
  const schema = await readSourceSchema(source);
  await checkSourceSchema(source, schema, TRANSFERS);
  await enlargeCache(database, database.kind);
  const report = createImportReport();
  const total = await countRows(source);
  const passes = options.isUpdate ? 2 : 1;
  let done = 0;
  const onRows = (table: string, count: number) => {
    done += count;
    deps.onProgress({ table, done, total: total * passes });
  };
  let outcome: ImportResult["outcome"] = "imported";
  try {
    await database.alone(
      async (transaction) => {
        await allowLongTransaction(transaction, database.kind);
        await importAll(transaction, { ...deps, schema, report, onRows }, options);
        await deps.afterRows(transaction, report);
        if (hasConflicts(report)) throw new Rollback("conflicts");
        if (options.isDryRun) throw new Rollback("dry-run");
      },
      { changes: ["facts", "limits", "revocations"] },
    );
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
    outcome = error.outcome;
  }
  return { report, outcome };
}

/** Ends the transaction without a change. */
class Rollback extends Error {
  readonly outcome: "dry-run" | "conflicts";

  constructor(outcome: Rollback["outcome"]) {
    super(outcome);
    this.outcome = outcome;
  }
}

function hasConflicts(report: ImportReport): boolean {
  return report.problems().some(({ kind }) => kind === "conflict");
}

/** The largest table of a cloud. */
const isOfAssignments = ({ to }: TableTransfer): boolean => to === "assignment";
const FIRST_ASSIGNMENT = TRANSFERS.findIndex(isOfAssignments);

interface RunContext extends ImportDeps {
  readonly schema: SourceSchema;
  readonly report: ImportReport;
  readonly onRows: (table: string, count: number) => void;
}

async function importAll(
  transaction: Queries,
  context: RunContext,
  { isUpdate, prefer }: ImportOptions,
): Promise<void> {
  const { database, masterKey, schema, report } = context;
  const target = createTargetRows(transaction, database.kind);
  const number = (await checkStart(transaction, isUpdate)) + 1;
  const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
  const apply = { transaction, target, number, prefer, report };
  if (isUpdate) await deleteAll(apply, context, seal);
  const leftOut = createLeftOut();
  const importTables = async (transfers: readonly TableTransfer[]): Promise<void> => {
    for (const transfer of transfers) {
      const count = report.startTable(transfer.from);
      const store = (rows: readonly ConvertedRow[]) =>
        (isUpdate ? updateRows : insertRows)(rows, { transfer, count }, { ...apply, leftOut });
      await readTable(transfer, { ...context, seal, leftOut, count }, store);
    }
  };
  const [before, assignments, after] = [
    TRANSFERS.slice(0, FIRST_ASSIGNMENT),
    TRANSFERS.filter(isOfAssignments),
    TRANSFERS.slice(FIRST_ASSIGNMENT).filter((transfer) => !isOfAssignments(transfer)),
  ];
  await importTables(before);
  if (isUpdate) await importTables(assignments);
  else
    await withoutIndexes(transaction, { kind: database.kind, table: "assignment" }, () =>
      importTables(assignments),
    );
  await importTables(after);
  for (const [table, reason] of Object.entries(LEFT_OUT_TABLES))
    if (schema.hasTable(table)) await reportLeftOut(context.source, report, { table, reason });
}

/** @returns The number of the last import. @throws {ImportError} */
async function checkStart(transaction: Queries, isUpdate: boolean): Promise<number> {
  const last = await lastImport(transaction);
  if (isUpdate) {
    if (last > 0) return last;
    throw new ImportError(
      "import/nothing-imported",
      "--update needs the record of an import into this database, which it does not have",
    );
  }
  for (const table of new Set(TRANSFERS.map(({ to }) => to))) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(transaction.tables());
    if (rows.length > 0)
      throw new ImportError(
        "import/not-empty",
        `The table ${table} has rows: the first import needs an empty database, in which serve and bootstrap have not run yet${last > 0 ? "; use --update for what has changed since the last import" : ""}`,
      );
  }
  return last;
}

/** Deletes what no longer exists in Keystone: before other changes, which may take over a name. */
async function deleteAll(
  apply: Omit<ApplyContext, "leftOut">,
  context: RunContext,
  seal: ConversionContext["seal"],
): Promise<void> {
  const leftOut = createLeftOut();
  // Problems are reported by the second pass.
  const silent = createImportReport();
  for (const transfer of TRANSFERS) {
    const count = silent.startTable(transfer.from);
    const mark = (rows: readonly ConvertedRow[]) => markRows(rows, transfer, { ...apply, leftOut });
    await readTable(transfer, { ...context, report: silent, seal, leftOut, count }, mark);
  }
  const done = new Set<string>();
  for (const transfer of TRANSFERS.toReversed()) {
    if (done.has(transfer.to)) continue;
    done.add(transfer.to);
    const count = apply.report.startTable(transfer.from);
    await deleteUnseen({ transfer, count }, { ...apply, leftOut });
  }
}

async function readTable(
  transfer: TableTransfer,
  context: RunContext & Omit<ConversionContext, "report"> & { readonly count: TableCount },
  store: (rows: readonly ConvertedRow[]) => Promise<void>,
): Promise<void> {
  const { source, schema, count, onRows } = context;
  const query = transferQuery(transfer, schema.hasColumn);
  let known = 0;
  for await (const rows of convertRows(source, { transfer, query, count }, context)) {
    await store(rows);
    onRows(transfer.from, count.read - known);
    known = count.read;
  }
}

/** The rows of all tables: roughly, since some queries leave out some. */
async function countRows(source: KeystoneSource): Promise<number> {
  let total = 0;
  for (const transfer of TRANSFERS) {
    const [row] = await readAll(source, rowCountQuery(transfer));
    total += Number(row?.["count"] ?? 0);
  }
  return total;
}

async function reportLeftOut(
  source: KeystoneSource,
  report: ImportReport,
  { table, reason }: { readonly table: string; readonly reason: string },
): Promise<void> {
  const count = report.startTable(table);
  for (const { id } of await readAll(source, `select t.id from "${table}" t`)) {
    count.read++;
    count.leftOut++;
    report.add("left-out", { table, column: "*", row: id ?? "" }, reason);
  }
}

/** The service's own transactions take milliseconds, and are limited to seconds. */
async function allowLongTransaction(transaction: Queries, kind: Database["kind"]): Promise<void> {
  if (kind !== "postgres") return;
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction.tables());
  await sql`set local statement_timeout = 0`.execute(transaction.tables());
}
