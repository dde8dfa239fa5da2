/** Rows of the target's tables, in large numbers: the statements are written once for a table and a number of rows. */
import {
  CompiledQuery,
  type Database,
  type Kysely,
  type Queries,
  sql,
} from "@hamkit/identity/import-support/storage";

import {
  quotedName,
  type TableTransfer,
  type TargetKey,
  type TargetRow,
  type TargetValue,
} from "./table-transfer.js";

/** Rows of one statement. SQLite takes 32,766 parameters. */
export const MAX_TARGET_ROWS = 250;
/** Rows of one query by their keys. */
const MAX_KEYS = 100;

/** A table of this service, and how its rows are found. */
export type TargetTable = Pick<TableTransfer, "to" | "key" | "isRow">;

/** The values of a row's key. */
export function keyOf(row: TargetRow, key: readonly string[]): TargetKey {
  return key.map((column) => row[column] ?? null);
}

/** The text of a key, for maps and records. */
export const keyText = (key: TargetKey): string => JSON.stringify(key);

export type TargetRows = ReturnType<typeof createTargetRows>;

/** @param transaction Of the database. */
export function createTargetRows(transaction: Queries, kind: Database["kind"]) {
  const tables: Kysely<unknown> = transaction.tables();
  const texts = new Map<string, string>();

  function insertText(table: string, columns: readonly string[], count: number): string {
    // PostgreSQL takes any number of rows as one JSON text, much faster than as parameters.
    const rows = kind === "postgres" ? 1 : count;
    const id = `${table} ${rows} ${columns.join()}`;
    const known = texts.get(id);
    if (known !== undefined) return known;
    const names = columns.map(quotedName).join(", ");
    const places = `(${columns.map(() => "?").join(", ")})`;
    const values =
      kind === "postgres"
        ? `select ${names} from json_populate_recordset(null::${quotedName(table)}, $1)`
        : `values ${Array.from({ length: rows }, () => places).join(", ")}`;
    const text = `insert into ${quotedName(table)} (${names}) ${values} on conflict do nothing`;
    texts.set(id, text);
    return text;
  }

  function parametersOf(columns: readonly string[], rows: readonly TargetRow[]): TargetValue[] {
    if (kind === "postgres") return [JSON.stringify(rows, writeBytes)];
    const parameters: TargetValue[] = [];
    for (const row of rows) for (const column of columns) parameters.push(row[column] ?? null);
    return parameters;
  }

  return {
    /** Inserts rows with the same columns. @returns How many; fewer, if one exists or violates another unique constraint. */
    async insert(table: string, rows: readonly TargetRow[]): Promise<number> {
      const [first] = rows;
      if (first === undefined) return 0;
      const columns = Object.keys(first);
      const query = CompiledQuery.raw(insertText(table, columns, rows.length), parametersOf(columns, rows));
      return Number((await tables.executeQuery(query)).numAffectedRows ?? 0n);
    },

    /** The rows of these keys that exist, by the text of the key. */
    async find(table: TargetTable, keys: readonly TargetKey[]): Promise<Map<string, TargetRow>> {
      const found = new Map<string, TargetRow>();
      for (let start = 0; start < keys.length; start += MAX_KEYS) {
        const condition = isOneOf(table, keys.slice(start, start + MAX_KEYS));
        const { rows } =
          await sql<TargetRow>`select * from ${sql.table(table.to)} where ${condition}`.execute(tables);
        for (const row of rows) found.set(keyText(keyOf(row, table.key)), row);
      }
      return found;
    },

    /** The keys of the rows that have certain values in other columns. */
    async keysOf(
      table: string,
      key: readonly string[],
      { columns, values }: { readonly columns: readonly string[]; readonly values: TargetKey },
    ): Promise<TargetKey[]> {
      const { rows } =
        await sql<TargetRow>`select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)} where ${hasValues(columns, values)}`.execute(
          tables,
        );
      return rows.map((row) => keyOf(row, key));
    },

    /** Replaces all values of a row but those of some columns. */
    async replace(table: TargetTable, row: TargetRow, kept: readonly string[]): Promise<void> {
      const { to, key } = table;
      const values = Object.entries(row).filter(
        ([column]) => !key.includes(column) && !kept.includes(column),
      );
      if (values.length === 0) return;
      const assignments = sql.join(values.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
      await sql`update ${sql.table(to)} set ${assignments} where ${isOneOf(table, [keyOf(row, key)])}`.execute(
        tables,
      );
    },

    async delete(table: TargetTable, keys: readonly TargetKey[]): Promise<void> {
      for (let start = 0; start < keys.length; start += MAX_KEYS) {
        const condition = isOneOf(table, keys.slice(start, start + MAX_KEYS));
        await sql`delete from ${sql.table(table.to)} where ${condition}`.execute(tables);
      }
    },
  };
}

/** The condition that a row has one of the keys. */
function isOneOf(
  { key: columns, isRow = (key) => hasValues(columns, key) }: TargetTable,
  keys: readonly TargetKey[],
) {
  return sql.join(keys.map(isRow), sql` or `);
}

function hasValues(columns: readonly string[], values: TargetKey) {
  return sql.join(
    columns.map((column, index) => {
      const value = values[index] ?? null;
      return value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`;
    }),
    sql` and `,
  );
}

/** For `JSON.stringify`, which is passed a buffer's own JSON: bytes as PostgreSQL reads them. */
function writeBytes(_name: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { readonly type?: unknown; readonly data?: unknown };
  return type === "Buffer" && Array.isArray(data)
    ? `\\x${Buffer.from(data as number[]).toString("hex")}`
    : value;
}
