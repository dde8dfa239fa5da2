/** Imports what keeps the tokens of a Keystone valid or revoked: its revocation events, and its Fernet keys. */
import {
  beginImport,
  storeImportedKeys,
  type Clock,
  type Database,
  type MasterKey,
  type Queries,
} from "@hamkit/identity/import-support/storage";

import { readKeyFolder } from "./key-folder.js";
import type { ImportReport } from "./report/import-report.js";
import { importRevocationEvents, timeFault, type KeystoneRevocationEvent } from "./revocation-events.js";
import { readAll, type KeystoneSource } from "./source/keystone-source.js";

export interface TokenImport extends Omit<FernetKeysOptions, "fernetKeys"> {
  /** The folder; tokens are not imported without it. */
  readonly fernetKeys: string | undefined;
  readonly source: KeystoneSource;
  readonly report: ImportReport;
}

/** Revocation events, and the keys of the tokens: after the rows, in the same transaction. */
export async function importTokens(
  transaction: Queries,
  { source, report, ...options }: TokenImport,
): Promise<void> {
  const { fernetKeys, lifetimeSeconds, clock } = options;
  const now = clock.now();
  const lifetimeMs = lifetimeSeconds * 1000;
  // In UTC, as the column. Earlier ones revoke no token that has not expired.
  const since = new Date(now - lifetimeMs).toISOString().slice(0, 19).replace("T", " ");
  const rows = await readAll(
    source,
    `select t.* from revocation_event t where t.issued_before >= '${since}' order by t.revoked_at, t.id`,
  );
  const events = (rows as unknown as KeystoneRevocationEvent[]).filter((event) => {
    const fault = timeFault(event);
    if (fault !== undefined) report.add("left-out", { table: "revocation_event", ...fault }, "is not a time");
    return fault === undefined;
  });
  const { imported, expired } = await importRevocationEvents(transaction, events, { now, lifetimeMs });
  const [past] = await readAll(
    source,
    `select count(*) as "count" from revocation_event t where t.issued_before < '${since}'`,
  );
  const pastCount = Number(past?.["count"] ?? 0);
  Object.assign(report.startTable("revocation_event"), {
    read: rows.length + pastCount,
    imported,
    leftOut: pastCount + rows.length - events.length + expired,
  });
  if (pastCount > 0)
    report.add(
      "left-out",
      { table: "revocation_event", column: "issued_before", row: `${pastCount} rows` },
      `every token that they revoke has expired (${lifetimeSeconds} s after it was issued)`,
    );
  await beginImport(transaction, clock.now());
  if (fernetKeys !== undefined) await importFernetKeys(transaction, { ...options, fernetKeys });
}

export interface FernetKeysOptions {
  /** `[fernet_tokens] key_repository`. */
  readonly fernetKeys: string;
  /** `[auth] methods`, in its order: tokens name a method by its place. */
  readonly authMethods: readonly string[];
  /** `[token] expiration`. */
  readonly lifetimeSeconds: number;
  /** How long after their expiry tokens can be read with `allow_expired`: `IDENTITY_EXPIRED_TOKEN_WINDOW`. */
  readonly expiredWindowSeconds: number;
  readonly database: Pick<Database, "kind">;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
}

/**
 * Stores the keys instead of those imported before, in the transaction of the import (`changes: ["facts", "revocations"]`). Call it
 * last: tokens issued after this moment are rejected, and later revocations apply to all imported tokens.
 *
 * @returns The number of keys.
 * @throws {KeyFolderError} The folder can't be read or has no key, or a file is not a key.
 * @throws {MasterKeyNotInForce}
 */
export async function importFernetKeys(transaction: Queries, options: FernetKeysOptions): Promise<number> {
  const { fernetKeys, authMethods, lifetimeSeconds, expiredWindowSeconds, database, masterKey, clock } =
    options;
  const keys = readKeyFolder(fernetKeys).map(({ key }) => key);
  await storeImportedKeys(
    transaction,
    {
      keys,
      authMethods,
      lifetimeMs: lifetimeSeconds * 1000,
      expiredWindowMs: expiredWindowSeconds * 1000,
    },
    { kind: database.kind, masterKey, now: clock.now() },
  );
  return keys.length;
}
