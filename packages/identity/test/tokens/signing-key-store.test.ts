/** Signing keys in the database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { UniqueViolation } from "../../src/platform/database/database-errors.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { toMasterKey, type MasterKey } from "../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import {
  insertSigningKey,
  listSigningKeys,
  removeSigningKeysBelow,
  signingKeySecrets,
  createSigningKeys,
  type SigningKeys,
} from "../../src/tokens/signing-keys.js";
import { databases, type TestDatabase } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";

const FIRST = { number: 1, sealed: Buffer.from([1, 0, 255]), createdAt: 2 ** 41 };
const SECOND = { number: 2, sealed: Buffer.from([2]), createdAt: 5 };

function master(byte: number): MasterKey {
  return toMasterKey(Buffer.alloc(32, byte));
}

let place: TestDatabase;
let database: Database;
let other: Database;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  [database, other] = [openDatabase(place.url), openDatabase(place.url)];
});
afterEach(async () => {
  await Promise.all([database.close(), other.close()]);
  await place.remove();
});

function keysOf(replica: Database, key = 1): SigningKeys {
  return createSigningKeys({
    database: replica,
    masterKey: master(key),
    clock: { now: () => 1000 },
    maxActiveKeys: 3,
  });
}

describe(`the store of signing keys on ${databases.name}`, () => {
  it("gives keys back as they came, the newest first, and has one for each number", async () => {
    expect(await listSigningKeys(database)).toEqual([]);
    await insertSigningKey(database, FIRST);
    await insertSigningKey(database, SECOND);
    await expect(insertSigningKey(database, FIRST)).rejects.toBeInstanceOf(UniqueViolation);
    expect(await listSigningKeys(database)).toEqual([SECOND, FIRST]);
  });

  it("removes those below a number, and stores other sealed forms", async () => {
    for (const key of [FIRST, SECOND, { ...SECOND, number: 3 }]) await insertSigningKey(database, key);
    await removeSigningKeysBelow(database, 2);
    const [newest] = await signingKeySecrets(database);
    await newest?.replace(database, Buffer.from([9]));
    expect(await listSigningKeys(database)).toEqual([
      { ...SECOND, number: 3, sealed: Buffer.from([9]) },
      SECOND,
    ]);
  });

  it("has replicas that start or rotate at once come to the same keys", async () => {
    const rings = await Promise.all([keysOf(database).load(), keysOf(other).load()]);
    expect(rings.map(({ primary }) => primary)).toEqual([1, 1]);
    await Promise.all([keysOf(database).rotate(), keysOf(other).rotate()]);
    const after = await Promise.all([keysOf(database).load(), keysOf(other).load()]);
    expect(after[0].primary).toBe(after[1].primary);
    expect(after[0].primary).toBeGreaterThan(1);
  });

  it("has all keys sealed by another master key, or none", async () => {
    await keysOf(database).load();
    await resealSecrets(database, { from: master(1), to: master(2) });
    expect((await keysOf(other, 2).load()).primary).toBe(1);
    await expect(keysOf(other).load()).rejects.toMatchObject({ code: "master-key/not-in-force" });
    await expect(resealSecrets(database, { from: master(1), to: master(3) })).rejects.toMatchObject({
      code: "master-key/not-in-force",
    });
    expect((await keysOf(other, 2).load()).primary).toBe(1);
  });
});
