/** Writes an export to a file of SQL, for a database with which only `keystone-manage db_sync` has run. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

import { ExportError } from "./export-errors.js";
import type { KeystoneTarget, TargetKind } from "./keystone-target.js";
import { PREPARATION } from "./sql-text.js";

/** The releases of Keystone whose schema is written: 22 (Zed), or the newest. */
export const SCHEMAS = ["zed", "head"] as const;
export type SchemaName = (typeof SCHEMAS)[number];

export interface SqlFileOptions {
  readonly path: string;
  readonly kind: TargetKind;
  readonly schema: SchemaName;
}

/**
 * The file has this name only once it is complete; only its owner can read it.
 *
 * @throws {ExportError} The file exists, or can't be created.
 */
export function openSqlFile({ path, kind, schema }: SqlFileOptions): KeystoneTarget {
  const partial = `${path}.partial`;
  if (existsSync(path)) throw new ExportError("export/file", `The file ${path} exists: expected a new one`);
  const file = createPrivately(partial);
  let isOpen = true;
  const write = (statement: string) => void writeSync(file, `${statement};\n`);
  for (const statement of PREPARATION[kind]) write(statement);
  return {
    kind,
    // Asked for columns that not every release has.
    hasColumn: () => schema === "head",
    async write(statement) {
      write(statement);
    },
    async commit() {
      write("commit");
      fsyncSync(file);
      closeSync(file);
      isOpen = false;
      renameSync(partial, path);
    },
    async close() {
      if (!isOpen) return;
      closeSync(file);
      rmSync(partial, { force: true });
    },
  };
}

function createPrivately(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    throw new ExportError("export/file", `The file ${path} can't be created`, { cause: error });
  }
}
