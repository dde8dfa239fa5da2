/** The keys of an imported Keystone in the database. */
import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { newId } from "../../../src/platform/ids.js";
import { MasterKeyNotInForce } from "../../../src/platform/secrets/master-key-in-force.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../../src/sealed-secrets.js";
import { findImportedKeys } from "../../../src/tokens/imported/imported-key-store.js";
import {
  createImportedTokens,
  deleteExpiredImportedKeys,
  dropImportedKeys,
  storeImportedKeys,
} from "../../../src/tokens/imported/imported-tokens.js";
import { insertEvents, nextPosition } from "../../../src/tokens/revocation-store.js";
import { createRevocations } from "../../../src/tokens/revocations.js";
import { databases, type TestDatabase } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { keystoneToken, pairOf } from "./keystone-token.js";

const HOUR = 3_600_000;
const SWITCH = Date.parse("2026-11-22T08:00:00Z");
const KEY = randomBytes(32);
const [masterKey, nextMasterKey] = [7, 8].map((byte) => toMasterKey(Buffer.alloc(32, byte))) as [
  ReturnType<typeof toMasterKey>,
  ReturnType<typeof toMasterKey>,
];

let place: TestDatabase;
let database: Database;
let now: number;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
  now = SWITCH;
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

/** For a day, and two days with `allow_expired`. */
function store(by = masterKey): Promise<void> {
  const keys = {
    keys: [KEY],
    authMethods: ["password"],
    lifetimeMs: 24 * HOUR,
    expiredWindowMs: 48 * HOUR,
  };
  return database.transaction(
    (transaction) => storeImportedKeys(transaction, keys, { kind: database.kind, masterKey: by, now }),
    { changes: ["facts", "revocations"] },
  );
}

/** 1001 events of the present time: of fewer none is deleted. */
function addEvents(prefix: string): Promise<void> {
  return database.transaction(
    async (transaction) => {
      const last = await nextPosition(transaction, now, 1001);
      const events = Array.from({ length: 1001 }, (_, index) => ({
        id: `${prefix}${index}`,
        event: {
          auditId: `${prefix}${index}`,
          issuedBefore: now,
          revokedAt: now,
          position: last - 1000 + index,
        },
      }));
      await insertEvents(transaction, events);
    },
    { changes: ["revocations"] },
  );
}

describe(`imported keys on ${databases.name}`, () => {
  it("are deleted once no token of them can be read any more", async () => {
    await store();
    const lines: string[] = [];
    const log = { info: (line: string) => lines.push(line), error: () => {} };
    const options = { database, clock: { now: () => now }, log: log as never };
    now = SWITCH + 72 * HOUR - 1;
    await deleteExpiredImportedKeys(options);
    expect(await findImportedKeys(database)).toBeDefined();
    now = SWITCH + 72 * HOUR;
    await deleteExpiredImportedKeys(options);
    expect(await findImportedKeys(database)).toBeUndefined();
    expect(lines).toEqual(["imported keys deleted: their tokens have expired"]);
  });

  it("are stored sealed, and verify after they were sealed again with another master key", async () => {
    await store();
    const stored = await findImportedKeys(database);
    expect(stored?.sealed.includes(KEY)).toBe(false);
    const payload = [0, pairOf("user"), 1, { double: SWITCH / 1000 }, [randomBytes(16)]] as const;
    const text = keystoneToken(KEY, payload, { issuedAt: SWITCH - HOUR });
    const readerBy = (key: typeof masterKey) =>
      createImportedTokens({
        database,
        masterKey: key,
        trustUser: async () => Promise.resolve(undefined),
      });
    const running = readerBy(masterKey);
    expect(await running(text)).toMatchObject({ userId: "user", isImported: true });
    await resealSecrets(database, { from: masterKey, to: nextMasterKey });
    await database.transaction(() => Promise.resolve());
    expect(await readerBy(nextMasterKey)(text)).toMatchObject({ userId: "user" });
    // A replica goes on with the keys that it has unsealed, until it is restarted.
    expect(await running(text)).toMatchObject({ userId: "user" });
    await expect(readerBy(masterKey)(text)).rejects.toBeInstanceOf(MasterKeyNotInForce);
    await expect(store()).rejects.toBeInstanceOf(MasterKeyNotInForce);
  });

  it("keep revocation events of any age, because imported tokens may live longer than others", async () => {
    await store();
    const clock = { now: () => now };
    const revocations = createRevocations({ database, clock, newId, retentionMs: HOUR });
    const countEvents = async () => {
      let count = 0;
      for await (const events of revocations.since(0)) count += events.length;
      return count;
    };
    await addEvents("a");
    now += 30 * HOUR;
    await addEvents("b");
    await revocations.revoke({ auditId: "c" });
    expect(await revocations.purge()).toBe(false);
    expect(await countEvents()).toBe(2003);
    await dropImportedKeys(database);
    now += HOUR;
    await revocations.revoke({ auditId: "d" });
    // Some at a time.
    expect(await countEvents()).toBe(1804);
    while (await revocations.purge());
    // Those of the second time, and the two of `revoke`.
    expect(await countEvents()).toBe(1003);
  });
});
