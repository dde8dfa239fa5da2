/** Finds what an import from a Keystone has left: its keys, and hashes that logins do not replace yet. */
import { isImportUnfinished } from "../passwords/unfinished-import-store.js";
import { formatSeconds } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken } from "../platform/database/migrate.js";
import { findImportedKeys } from "../tokens/imported/imported-key-store.js";
import { warning, type Finding } from "./finding.js";

export async function examineImport(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0025-imported-tokens")) return [];
  const keys = await findImportedKeys(database);
  return [
    ...((await isImportUnfinished(database)) ? [warning("import", UNFINISHED)] : []),
    ...(keys === undefined
      ? []
      : [warning("imported keys", keysText(formatSeconds(keys.issuedBefore + keys.lifetimeMs)))]),
  ];
}

const UNFINISHED =
  "unfinished: logins keep imported password hashes, which the Keystone reads. When there is no way back, run " +
  "hamkit-identity import --finish";

function keysText(until: string): string {
  return (
    `tokens of the imported Keystone are valid until ${until} at the latest. If others may have the files of its keys, run ` +
    "hamkit-identity keys drop-imported"
  );
}
