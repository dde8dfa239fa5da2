/** How the rows of a Keystone's table become rows of this service, and the way back. */
import type { Schema } from "@hamkit/identity/import-support/api-rules";
import type { Moment, RawBuilder, Seal } from "@hamkit/identity/import-support/storage";

import type { SourceRow } from "./source/keystone-source.js";

export type TargetValue = string | number | boolean | Buffer | null;
/** The values of a row's key. */
export type TargetKey = readonly TargetValue[];
export type TargetRow = Readonly<Record<string, TargetValue>>;

/** What becomes of a value that the API refuses. */
export type IfRefused =
  /** It stays: other rows depend on its row, and it only differs in its form, such as a name that is too long. */
  | "kept"
  /** `null` takes its place. */
  | "cleared"
  /** Its row is not imported. */
  | "left-out";

export interface ColumnRule {
  /** Of the API. */
  readonly schema: Schema;
  readonly ifRefused: IfRefused;
}

/** By the column of this service. */
export type ColumnRules = Readonly<Record<string, ColumnRule>>;

/** A row that another row refers to by its `id`. */
export interface SourceReference {
  /** Keystone's table. */
  readonly table: string;
  /** What becomes of a row whose referenced row does not exist: it is left out, loses the reference, or keeps it. */
  readonly ifMissing: "left-out" | "cleared" | "kept";
  /** Whether a row without the reference is left out. */
  readonly isRequired?: true;
  /** Whether the row of `project` has to be a domain. */
  readonly isDomain?: true;
}

/** A row that needs the domain that it belongs to. */
export const OF_DOMAIN: SourceReference = {
  table: "project",
  ifMissing: "left-out",
  isRequired: true,
  isDomain: true,
};

/**
 * One table of Keystone's.
 *
 * In its SQL, `t` is the table. It runs on MariaDB, MySQL and PostgreSQL.
 */
export interface TableTransfer {
  /** Keystone's table. */
  readonly from: string;
  /** The columns that name a row in a report; `id`, if left out. */
  readonly named?: readonly string[];
  /** Its columns that are read. */
  readonly columns: readonly string[];
  /** Columns that not every release has. */
  readonly newerColumns?: readonly string[];
  /** Other values that are read, by name. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** The columns of other tables in the SQL. */
  readonly uses?: Readonly<Record<string, readonly string[]>>;
  /** Begins the query, such as `with recursive`. */
  readonly prologue?: string;
  readonly joins?: string;
  readonly where?: string;
  readonly order?: string;
  /** A column that is equal in the rows that belong together: the query has a row for each part, such as an option of a user. */
  readonly groupedBy?: string;
  /** By the name of a column or expression. */
  readonly references?: Readonly<Record<string, SourceReference>>;

  /** The table of this service. */
  readonly to: string;
  readonly key: readonly string[];
  /** The condition that a row has a key, by the expressions of a unique index; that of its columns, if left out. */
  readonly isRow?: (key: TargetKey) => RawBuilder<unknown>;
  /** Columns that are unique together, in some rows at least; the last is a name that may pass from one row to another. */
  readonly unique?: readonly string[];
  /** Columns that change with the use of the service, such as the time of the last login. */
  readonly volatile?: readonly string[];
  /** The rules of the API for columns of this service. */
  readonly rules?: ColumnRules;
  /** @throws {Error} A value can't be transferred; the message completes "The value ...". */
  readonly toRow: (row: SourceRow, context: TransferContext) => TargetRow | undefined;
  readonly back: WayBack;
}

/** What an export needs of a transfer. */
export type ReturnedTable = Pick<TableTransfer, "from" | "columns" | "newerColumns" | "key" | "to" | "back">;

/** A value of a column of Keystone's, for SQL. */
export type ReturnedValue = string | number | bigint | boolean | null;
export type ReturnedRow = Readonly<Record<string, ReturnedValue>>;

/**
 * How the rows of this service become rows of Keystone's table: `columns` are copied from those of the same name, unless `change` has
 * another value.
 *
 * In its SQL, `t` is the table of this service. It runs on SQLite and PostgreSQL.
 */
export interface WayBack {
  /** Other values that are read, by name. */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly prologue?: string;
  readonly joins?: string;
  readonly where?: string;
  readonly order?: string;
  /** Columns of Keystone's that its database fills in. */
  readonly omitted?: readonly string[];
  /** The values that differ; `undefined` if the row has no place in Keystone. */
  readonly change?: (row: TargetRow, context: ReturnContext) => ReturnedRow | undefined;
  /** The rows of other tables of Keystone's that this row also becomes, each with its table. */
  readonly parts?: (row: TargetRow, context: ReturnContext) => readonly (readonly [string, ReturnedRow])[];
}

export interface ReturnContext extends Pick<
  TransferContext,
  "defaultAuthorizationTtl" | "note" | "leaveOut"
> {
  readonly unseal: (sealed: Buffer, place: string) => Buffer;
  /** Encrypts the blob of a credential; `undefined` without credential keys for Keystone. */
  readonly encryptBlob:
    | ((text: string) => { readonly encrypted: string; readonly keyHash: string })
    | undefined;
  /** Whether Keystone's table has this column. */
  readonly hasColumn: (table: string, column: string) => boolean;
  /** The number by which Keystone's tables refer to a row of this table, such as `local_user`: the next one for a new id. */
  readonly numberOf: (table: string, id: string) => number;
  /** Whether a row has a number. */
  readonly hasNumber: (table: string, id: string) => boolean;
  readonly newId: () => string;
}

export interface TransferContext {
  readonly now: Moment;
  readonly seal: Seal;
  /** Decrypts the blob of a credential; `undefined` without Keystone's credential keys. */
  readonly openBlob: ((encrypted: string, keyHash?: string | null) => string) | undefined;
  /** Minutes, for identity providers without an `authorization_ttl`. */
  readonly defaultAuthorizationTtl: number;
  /** Whether Keystone reads `identity.driver` of a domain's stored configuration. */
  readonly usesDomainDrivers: boolean;
  /** All rows that belong together, the current one first. */
  readonly group: readonly SourceRow[];
  /** Whether a row of Keystone's table was not imported. */
  readonly isLeftOut: (table: string, id: string) => boolean;
  /** Reports a value that is not kept as it is, or that the API would refuse. @param value No secret. */
  readonly note: (column: string, reason: string, value?: unknown) => void;
  /** Reports that the row is not imported. @param value No secret. */
  readonly leaveOut: (column: string, reason: string, value?: unknown) => undefined;
  /** Counts a password hash in the report. */
  readonly countHash: (kind: string) => void;
}

/** Quotes a name. */
export function quotedName(name: string): string {
  return `"${name}"`;
}

/** The name under which a query returns the id of a referenced row. */
export const referenceName = (column: string): string => `ref_${column}`;

/** The query of a transfer. */
export function transferQuery(
  transfer: TableTransfer,
  hasColumn: (table: string, column: string) => boolean,
): string {
  const { from, columns, newerColumns = [], expressions = {}, references = {}, prologue = "" } = transfer;
  const known = [...columns, ...newerColumns.filter((column) => hasColumn(from, column))];
  const valueOf = (name: string) => expressions[name] ?? `t.${quotedName(name)}`;
  const selected = [
    ...known.map((column) => `t.${quotedName(column)}`),
    ...Object.entries(expressions).map(([name, sql]) => `${sql} as ${quotedName(name)}`),
    ...Object.entries(references).map(
      ([name, { table, isDomain }]) =>
        `(select min(r.id) from ${quotedName(table)} r where r.id = ${valueOf(name)}${isDomain === true ? " and r.is_domain" : ""}) as ${quotedName(referenceName(name))}`,
    ),
  ];
  return [
    prologue,
    `select ${selected.join(", ")} from ${quotedName(from)} t`,
    transfer.joins ?? "",
    transfer.where === undefined ? "" : `where ${transfer.where}`,
    transfer.order === undefined ? "" : `order by ${transfer.order}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** Counts the rows of a transfer, roughly those of its query: for the progress. */
export function rowCountQuery({ from, where }: TableTransfer): string {
  // A condition on another table of the query would not work alone.
  const isSimple = where === undefined || !/\b(?!t\.)[a-z]+\.[a-z"]/.test(where);
  return `select count(*) as "count" from ${quotedName(from)} t${isSimple && where !== undefined ? ` where ${where}` : ""}`;
}
