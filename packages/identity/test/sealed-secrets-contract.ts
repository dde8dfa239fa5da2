/** Changes of the master key, concurrent with rotations and other writes of secrets. */
import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSamlKeys } from "../src/saml/saml-keys.js";
import { storeSecrets } from "../src/identity-providers/protocols/protocol-secrets.js";
import { masterKey as masterKeyStep } from "../src/migrations/0016-master-key.js";
import type { Database } from "../src/platform/database/database.js";
import { openDatabase } from "../src/platform/database/open-database.js";
import { keyIdInForce, MasterKeyNotInForce, sealingIn } from "../src/platform/secrets/master-key-in-force.js";
import {
  unsealSecret,
  SealError,
  sealSecret,
  toMasterKey,
  type MasterKey,
} from "../src/platform/secrets/sealing.js";
import { listSealedSecrets, resealSecrets } from "../src/sealed-secrets.js";
import { insertSigningKey, signingKeyPlace, createSigningKeys } from "../src/tokens/signing-keys.js";
import type { TestDatabase, TestDatabases } from "./databases.js";
import { migratedDatabase } from "./migrated-databases.js";

const clock = { now: () => Date.parse("2026-11-21T01:00:00Z") };
const PROTOCOL = { idpId: "idp", id: "openid" };

interface Tables {
  readonly project: Readonly<Record<string, string | boolean>>;
  readonly identity_provider: { id: string; domain_id: string; enabled: boolean };
  readonly protocol: { idp_id: string; id: string; mapping_id: string };
}

/** @param options.reseals How often the master key changes. */
export function sealedSecretsContract(
  databases: TestDatabases,
  { reseals }: { readonly reseals: number } = { reseals: 12 },
): void {
  let place: TestDatabase;
  let database: Database;
  let other: Database;
  beforeEach(async () => {
    place = await migratedDatabase(databases);
    [database, other] = [openDatabase(place.url), openDatabase(place.url)];
    await addProtocol(database);
  });
  afterEach(async () => {
    await Promise.all([database.close(), other.close()]);
    await place.remove();
  });

  const signingKeys = (replica: Database, masterKey: MasterKey) =>
    createSigningKeys({ database: replica, masterKey, clock, maxActiveKeys: 3 });
  const samlKeys = (replica: Database, masterKey: MasterKey) =>
    createSamlKeys({ database: replica, masterKey, clock, commonName: "service" });
  const store = (replica: Database, masterKey: MasterKey, value: string) =>
    replica.transaction(async (transaction) => {
      const seal = await sealingIn(transaction, { kind: replica.kind, masterKey });
      await storeSecrets(transaction, PROTOCOL, { secrets: new Map([["client_secret", value]]), seal });
    });

  describe(`sealed secrets on ${databases.name}`, () => {
    it(`open with the key in force after ${reseals} reseals next to rotations and other writes`, async () => {
      const first = newKey();
      await signingKeys(database, first).load();
      await samlKeys(database, first).current();
      await store(database, first, "first");
      let current = first;
      const end = new AbortController();
      const outcomes = { done: 0, refused: 0 };

      /** Writes as a process with the key of that moment, again and again. */
      async function writeOn(write: (masterKey: MasterKey) => Promise<unknown>): Promise<void> {
        while (!end.signal.aborted) {
          try {
            await write(current);
            outcomes.done++;
          } catch (error) {
            // The expected error of a process whose key was replaced concurrently.
            if (!(error instanceof MasterKeyNotInForce || error instanceof SealError)) throw error;
            outcomes.refused++;
          }
          await new Promise(setImmediate);
        }
      }
      const writers = [
        writeOn((key) => signingKeys(other, key).rotate()),
        writeOn((key) => signingKeys(database, key).rotate()),
        writeOn((key) => store(other, key, "secret")),
        writeOn((key) => samlKeys(other, key).rotate()),
      ];
      for (let count = 0; count < reseals; count++) {
        const to = newKey();
        await resealSecrets(database, { from: current, to });
        current = to;
        // Writers go on with the new key, and are under way when the next one comes.
        for (const before = outcomes.done; outcomes.done === before;) await new Promise(setImmediate);
      }
      end.abort();
      await Promise.all(writers);

      expect(await keyIdInForce(database)).toBe(current.id);
      const secrets = await listSealedSecrets(database);
      expect(secrets.map(({ place: at }) => at.split("/")[0])).toEqual(
        expect.arrayContaining(["signing-key", "protocol", "saml-key"]),
      );
      for (const { sealed, place: at } of secrets) unsealSecret(current, sealed, at);
      expect((await signingKeys(database, current).rotate()).keys.length).toBeGreaterThan(1);
      expect(outcomes.done).toBeGreaterThanOrEqual(reseals);
    });

    it("are not stored by a process whose key was replaced, which goes on with the keys it has opened", async () => {
      const [old, next] = [newKey(), newKey()];
      const behind = { signing: signingKeys(other, old), saml: samlKeys(other, old) };
      const known = await behind.signing.load();
      const { signing } = await behind.saml.current();
      await resealSecrets(database, { from: old, to: next });

      await expect(behind.signing.rotate(known)).rejects.toMatchObject({
        code: "master-key/not-in-force",
        retryAfterSeconds: 60,
        cause: { message: expect.stringContaining(`${next.id} is: put the master key`) as string },
      });
      await expect(store(other, old, "x")).rejects.toBeInstanceOf(MasterKeyNotInForce);
      await expect(behind.saml.rotate()).rejects.toBeInstanceOf(MasterKeyNotInForce);
      // A change of anything has it read its keys again.
      await other.transaction(() => Promise.resolve());
      expect((await behind.saml.current()).signing.number).toBe(signing.number);
      await store(database, next, "x");
      for (const { sealed, place: at } of await listSealedSecrets(database)) unsealSecret(next, sealed, at);
    });

    it("are resealed once: the same reseal is a no-op, one from another key is rejected", async () => {
      const [one, two, three] = [newKey(), newKey(), newKey()];
      await signingKeys(database, one).load();
      expect(await resealSecrets(database, { from: one, to: two })).toBe(2);
      expect(await resealSecrets(database, { from: one, to: two })).toBe(0);
      await expect(resealSecrets(database, { from: one, to: three })).rejects.toBeInstanceOf(
        MasterKeyNotInForce,
      );
    });

    it("are sealed by one key where two change it at once", async () => {
      const [from, one, two] = [newKey(), newKey(), newKey()];
      await signingKeys(database, from).load();
      const outcomes = await Promise.allSettled([
        resealSecrets(database, { from, to: one }),
        resealSecrets(other, { from, to: two }),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const winner = outcomes[0].status === "fulfilled" ? one : two;
      for (const { sealed, place: at } of await listSealedSecrets(database)) unsealSecret(winner, sealed, at);
    });

    it("of a database from before belong to the key that sealed its newest signing key", async () => {
      const key = newKey();
      const sealed = sealSecret(key, randomBytes(32), signingKeyPlace(7));
      await insertSigningKey(database, { number: 7, sealed, createdAt: 1 });
      await database.tables().schema.dropTable("master_key").execute();
      await masterKeyStep.up?.(database.tables(), database.columnTypes);
      expect(await keyIdInForce(database)).toBe(key.id);
    });
  });
}

function newKey(): MasterKey {
  return toMasterKey(randomBytes(32));
}

/** Inserts a protocol, its provider and its domain. */
async function addProtocol(database: Database): Promise<void> {
  const tables = database.tables<Tables>();
  const texts = { options: "{}", extra: "{}" };
  await tables
    .insertInto("project")
    .values({ id: "d", name: "d", is_domain: true, enabled: true, ...texts })
    .execute();
  await tables.insertInto("identity_provider").values({ id: "idp", domain_id: "d", enabled: true }).execute();
  await tables.insertInto("protocol").values({ idp_id: "idp", id: "openid", mapping_id: "m" }).execute();
}
