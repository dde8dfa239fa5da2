/** What the signing keys ask of the database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrations.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { toMasterKey } from "../../src/platform/sealing.js";
import { createSigningKeyStore } from "../../src/tokens/signing-key-store.js";
import { createSigningKeys, type SigningKeys } from "../../src/tokens/signing-keys.js";
import type { TestDatabase, TestDatabases } from "../databases.js";

const FIRST = { number: 1, sealed: Buffer.from([1, 0, 255]), createdAt: 2 ** 41 };
const SECOND = { number: 2, sealed: Buffer.from([2]), createdAt: 5 };

export function signingKeyStoreContract(databases: TestDatabases): void {
  let place: TestDatabase;
  let database: Database;
  let other: Database;
  beforeEach(async () => {
    place = await databases.create();
    [database, other] = [openDatabase(place.url), openDatabase(place.url)];
    await migrate(database, migrations);
  });
  afterEach(async () => {
    await Promise.all([database.close(), other.close()]);
    await place.remove();
  });

  function keysOf(replica: Database, master = 1): SigningKeys {
    return createSigningKeys({
      store: createSigningKeyStore(replica),
      masterKey: toMasterKey(Buffer.alloc(32, master)),
      clock: { now: () => 1000 },
      maxActiveKeys: 3,
    });
  }

  describe(`the store of signing keys on ${databases.name}`, () => {
    it("gives keys back as they came, and has one for each number", async () => {
      const store = createSigningKeyStore(database);
      expect(await store.list()).toEqual([]);
      expect(await store.add(FIRST)).toBe(true);
      expect(await store.add({ ...SECOND, number: 1 })).toBe(false);
      expect(await store.list()).toEqual([FIRST]);
    });

    it("removes those below a number, and puts other sealed forms in the place of others", async () => {
      const store = createSigningKeyStore(database);
      for (const key of [FIRST, SECOND, { ...SECOND, number: 3 }]) await store.add(key);
      await store.removeBelow(2);
      await store.replaceSealed(new Map([[3, Buffer.from([9])]]));
      const keys = (await store.list()).toSorted((one, two) => one.number - two.number);
      expect(keys).toEqual([SECOND, { ...SECOND, number: 3, sealed: Buffer.from([9]) }]);
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
      await keysOf(database).reseal(toMasterKey(Buffer.alloc(32, 2)));
      expect((await keysOf(other, 2).load()).primary).toBe(1);
      await expect(keysOf(other).load()).rejects.toMatchObject({ code: "seal/wrong-key" });
      await expect(keysOf(database).reseal(toMasterKey(Buffer.alloc(32, 3)))).rejects.toMatchObject({
        code: "seal/wrong-key",
      });
      expect((await keysOf(other, 2).load()).primary).toBe(1);
    });
  });
}
