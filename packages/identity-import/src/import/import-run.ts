/** Imports a Keystone's database in one transaction: all or nothing. */
import {
  type Clock,
  type Database,
  type MasterKey,
  type Queries,
  sealingIn,
  sql,
} from "@hamkit/identity/import-support/storage";

import { allowLongTransaction, analyzeTables, enlargeCache, withoutIndexes } from "./bulk-load.js";
import { convertRows, createLeftOut, type ConversionContext, type ConvertedRow } from "./convert-rows.js";
import { ImportError } from "./import-errors.js";
import { lastImport } from "./import-record.js";
import { insertRows, type ApplyContext } from "./insert-rows.js";
import { createImportReport, type ImportReport, type TableCount } from "./report/import-report.js";
import type { Preference } from "./row-conflicts.js";
import { readAll, type KeystoneSource, type SourceRow } from "./source/keystone-source.js";
import { checkSourceSchema, readSourceSchema, type SourceSchema } from "./source/source-schema.js";
import { rowCountQuery, transferQuery, type TableTransfer } from "./table-transfer.js";
import { createTargetRows } from "./target-rows.js";
import { LEFT_OUT_TABLES, PARTS, TRANSFERS } from "./transfers/transfers.js";
import { deleteUnseen } from "./update/delete-rows.js";
import { findChanges, type SourceChanges } from "./update/find-changes.js";
import { createMovedNames } from "./update/moved-names.js";
import { updateRows } from "./update/update-rows.js";

/** How far the clock may be set during an import: more than corrections by NTP. */
const MAX_JUMP_MS = 2000;

export interface ImportDeps {
  readonly source: KeystoneSource;
  /** Migrated. */
  readonly database: Database;
  readonly masterKey: MasterKey;
  /** Decrypts the blob of a credential; without it credentials are not imported. */
  readonly openBlob: ((encrypted: string, keyHash?: string | null) => string) | undefined;
  /** Minutes: `[federation] default_authorization_ttl` of Keystone. */
  readonly defaultAuthorizationTtl: number;
  /** Whether the Keystone reads `identity.driver` of a domain's stored configuration. */
  readonly usesDomainDrivers: boolean;
  readonly clock: Clock;
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
  let done = 0;
  const onRows = (table: string, count: number) => {
    done += count;
    deps.onProgress({ table, done, total });
  };
  const requireSteady = requireSteadyClock(deps.clock);
  const now = deps.clock.now();
  let outcome: ImportResult["outcome"] = "imported";
  try {
    await database.alone(
      async (transaction) => {
        await allowLongTransaction(transaction, database.kind);
        await importAll(transaction, { ...deps, now, schema, report, onRows }, options);
        requireSteady();
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

interface RunContext extends ImportDeps, Pick<ConversionContext, "now"> {
  readonly schema: SourceSchema;
  readonly report: ImportReport;
  readonly onRows: (table: string, count: number) => void;
}

type FullContext = RunContext & Pick<ConversionContext, "seal" | "leftOut"> & ApplyContext;

async function importAll(
  transaction: Queries,
  context: RunContext,
  { isUpdate, prefer }: ImportOptions,
): Promise<void> {
  const { database, masterKey, schema, report, source } = context;
  const target = createTargetRows(transaction, database.kind);
  const number = (await checkStart(transaction, isUpdate)) + 1;
  const seal = await sealingIn(transaction, { kind: database.kind, masterKey });
  const full = { ...context, transaction, target, number, prefer, seal, leftOut: createLeftOut() };
  await (isUpdate ? importChanges(full) : importNew(full));
  for (const [table, reason] of Object.entries(LEFT_OUT_TABLES))
    if (schema.hasTable(table)) await reportLeftOut(source, report, { table, reason });
  for (const part of PARTS) await reportOrphans(source, report, part);
}

/** Into an empty database. */
async function importNew(context: FullContext): Promise<void> {
  const { transaction, database, report } = context;
  const importTables = async (transfers: readonly TableTransfer[]): Promise<void> => {
    for (const transfer of transfers) {
      const count = report.startTable(transfer.from);
      await readTable(transfer, { ...context, count }, (rows) =>
        insertRows(rows, { transfer, count }, context),
      );
    }
  };
  await importTables(TRANSFERS.slice(0, FIRST_ASSIGNMENT));
  await withoutIndexes(transaction, { kind: database.kind, table: "assignment" }, () =>
    importTables(TRANSFERS.filter(isOfAssignments)),
  );
  await importTables(TRANSFERS.slice(FIRST_ASSIGNMENT).filter((transfer) => !isOfAssignments(transfer)));
  const tables = new Set([...TRANSFERS.map(({ to }) => to), "imported_row"]);
  await analyzeTables(transaction, { kind: database.kind, tables });
}

/** What changed since the last import. Deletions come first: other rows may take over a name. */
async function importChanges(context: FullContext): Promise<void> {
  const { transaction, report } = context;
  const changes = await findChanges(TRANSFERS, {
    transaction,
    report,
    readTable: (transfer, into, store) => readTable(transfer, { ...context, ...into }, store),
  });
  const done = new Set<string>();
  for (const transfer of TRANSFERS.toReversed()) {
    const index = changes.indexes.get(transfer.to);
    if (done.has(transfer.to) || index === undefined) continue;
    done.add(transfer.to);
    // Several of Keystone's tables may fill one: the rows of the first are the most.
    const { from } = TRANSFERS.find(({ to }) => to === transfer.to) ?? transfer;
    await deleteUnseen({ transfer, count: report.startTable(from) }, index, context);
  }
  for (const transfer of TRANSFERS) await updateTable(transfer, changes, context);
}

async function updateTable(
  transfer: TableTransfer,
  { byTransfer, indexes }: SourceChanges,
  context: FullContext,
): Promise<void> {
  const index = indexes.get(transfer.to);
  const { rows, count: known } = byTransfer.get(transfer) ?? {};
  if (index === undefined || rows?.length === 0) return;
  const { report } = context;
  const count = known ?? report.startTable(transfer.from);
  const step = { transfer, count };
  const movedNames = createMovedNames(step, index, context);
  const apply = (some: readonly ConvertedRow[]) => updateRows(some, step, { ...context, movedNames });
  if (rows === undefined) await readTable(transfer, { ...context, count }, apply);
  else {
    // Their other problems are in the report.
    const again = createImportReport();
    const kept = {
      ...again,
      add: (...problem: Parameters<typeof report.add>) => onlyLeftOut(report, problem),
    };
    const own = { ...context, source: sourceOf(rows), report: kept, onRows: () => {} };
    const second = again.startTable(transfer.from);
    await readTable(transfer, { ...own, count: second }, apply);
    count.leftOut += second.leftOut;
  }
  await movedNames.settle();
}

function onlyLeftOut(report: ImportReport, problem: Parameters<ImportReport["add"]>): void {
  if (problem[0] === "left-out") report.add(...problem);
}

/** Rows that were read before. */
function sourceOf(rows: readonly SourceRow[]): Pick<KeystoneSource, "read"> {
  return {
    async *read() {
      yield await Promise.resolve(rows);
    },
  };
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

async function readTable(
  transfer: TableTransfer,
  context: Pick<RunContext, "schema" | "onRows"> &
    ConversionContext & { readonly source: Pick<KeystoneSource, "read">; readonly count: TableCount },
  store: (rows: readonly ConvertedRow[]) => Promise<void>,
): Promise<void> {
  const { source, schema, count, onRows } = context;
  const query = transferQuery(transfer, schema.hasColumn);
  let known = count.read;
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

/** Parts of rows that do not exist. */
async function reportOrphans(
  source: KeystoneSource,
  report: ImportReport,
  { table, column, owner }: (typeof PARTS)[number],
): Promise<void> {
  const query = `select t."${column}" as "owner_id" from "${table}" t
    where not exists (select 1 from "${owner}" o where o.id = t."${column}")`;
  const orphans = await readAll(source, query);
  if (orphans.length === 0) return;
  const count = report.startTable(table);
  for (const { owner_id: id } of orphans) {
    count.read++;
    count.leftOut++;
    report.add(
      "left-out",
      { table, column, row: id ?? "" },
      `refers to a row of ${owner} that does not exist`,
    );
  }
}

/**
 * Starts the comparison of the clock with elapsed time: times of an import are compared with those of tokens, which a clock that is set
 * meanwhile would end early or late.
 *
 * @returns A check that throws {@link ImportError} if the clock was set since.
 */
function requireSteadyClock(clock: Clock): () => void {
  const offset = () => clock.now() - performance.now();
  const before = offset();
  return () => {
    const jumpMs = offset() - before;
    if (Math.abs(jumpMs) <= MAX_JUMP_MS) return;
    throw new ImportError(
      "import/clock",
      `The clock of this host was set ${Math.abs(jumpMs / 1000).toFixed(0)} s ${jumpMs > 0 ? "forward" : "back"} during the import: nothing was changed, and the import can be repeated`,
    );
  };
}
