/** Where an export goes: a Keystone's database, or a file of SQL for one. All or nothing. */
import type { KeystoneSource } from "../import/source/keystone-source.js";
import type { SourceAddress } from "../import/source/source-address.js";

/** MariaDB and MySQL, or PostgreSQL. */
export type TargetKind = SourceAddress["kind"];

/** Takes statements with names in double quotes, and texts as `insertTexts` writes them for its kind. */
export interface KeystoneTarget {
  readonly kind: TargetKind;
  readonly hasColumn: (table: string, column: string) => boolean;
  write(statement: string): Promise<void>;
  commit(): Promise<void>;
  /** Without `commit` nothing stays. */
  close(): Promise<void>;
}

/** A connection in a transaction. */
export type TargetConnection = Omit<KeystoneTarget, "hasColumn"> & KeystoneSource;
