import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrations } from "../../src/migrations/migrations.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { decryptFernet, encryptFernet } from "../../src/tokens/fernet.js";
import {
  listSigningKeys,
  signingKeySecrets,
  createKeyRing,
  createSigningKeys,
  type SigningKeyRing,
  type SigningKeys,
} from "../../src/tokens/signing-keys.js";
import { rotateIfOld } from "../../src/tokens/signing-key-rotation.js";

const masterKey = toMasterKey(Buffer.alloc(32, 1));

let database: Database;
let now: number;
let keys: SigningKeys;
beforeEach(async () => {
  database = openDatabase("sqlite::memory:");
  await migrate(database, migrations);
  now = 1000;
  keys = replica();
});
afterEach(() => database.close());

function replica(options: { maxActiveKeys?: number; master?: typeof masterKey } = {}): SigningKeys {
  return createSigningKeys({
    database,
    masterKey: options.master ?? masterKey,
    clock: { now: () => now },
    maxActiveKeys: options.maxActiveKeys ?? 3,
  });
}

async function numbers(): Promise<number[]> {
  return (await listSigningKeys(database)).map(({ number }) => number);
}

function token(ring: SigningKeyRing): string {
  return encryptFernet(ring.keys[0], Buffer.from("payload"), { at: 0 });
}

function isReadBy(ring: SigningKeyRing, text: string): boolean {
  return decryptFernet(ring.keys, text)?.payload.toString() === "payload";
}

describe("signing keys", () => {
  it("are a primary and a staged one at first, and the same ones later", async () => {
    const ring = await keys.load();
    expect(ring.keys).toHaveLength(2);
    expect(ring.primary).toBe(1);
    expect(isReadBy(await replica().load(), token(ring))).toBe(true);
  });

  it("are the same for replicas that start at once on an empty store", async () => {
    const rings = await Promise.all([replica().load(), replica().load(), replica().load()]);
    for (const maker of rings) for (const reader of rings) expect(isReadBy(reader, token(maker))).toBe(true);
    expect(await numbers()).toEqual([2, 1]);
  });

  it("are rotated without ending sessions: tokens of the last primary stay valid", async () => {
    const before = await keys.load();
    const after = await keys.rotate();
    expect(after.primary).toBe(2);
    expect(isReadBy(after, token(before))).toBe(true);
  });

  it("are known before they sign: a replica that hasn't seen the rotation reads tokens made after it", async () => {
    const behind = await keys.load();
    const ahead = await keys.rotate();
    expect(isReadBy(behind, token(ahead))).toBe(true);
  });

  it("are as many as allowed: with 3 a token is read after one rotation and lost after the second", async () => {
    const rings = [await keys.load(), await keys.rotate(), await keys.rotate(), await keys.rotate()];
    const texts = rings.map(token);
    const last = rings[3] as SigningKeyRing;
    expect(texts.map((text) => isReadBy(last, text))).toEqual([false, false, true, true]);
    expect(await numbers()).toEqual([5, 4, 3]);
  });

  it("are kept as long as more keys are allowed", async () => {
    const patient = replica({ maxActiveKeys: 5 });
    const first = token(await patient.load());
    for (let count = 0; count < 3; count++) await patient.rotate();
    expect(isReadBy(await patient.load(), first)).toBe(true);
    expect(isReadBy(await patient.rotate(), first)).toBe(false);
  });

  it("are rotated once when two replicas do it at the same time", async () => {
    await keys.load();
    const [one, other] = await Promise.all([replica().rotate(), replica().rotate()]);
    expect(one.primary).toBe(other.primary);
    expect(one.primary).toBe(2);
  });

  it("are rotated once when a replica decides to while another one rotates", async () => {
    const known = await keys.load();
    await replica().rotate();
    expect((await keys.rotate(known)).primary).toBe(2);
  });

  it("report the time of the last rotation", async () => {
    expect((await keys.load()).rotatedAt).toBe(1000);
    now = 5000;
    expect((await keys.rotate()).rotatedAt).toBe(5000);
  });

  it("are rotated on schedule when the last rotation is as many days ago, and not before", async () => {
    const log = { info: () => {}, error: () => {} };
    const rotatedAt = async (at: number) => {
      now = at;
      await rotateIfOld({ signingKeys: keys, clock: { now: () => now }, log, everyDays: 30 });
      return (await keys.load()).rotatedAt;
    };
    await keys.load();
    expect(await rotatedAt(1000 + 30 * 86_400_000 - 1)).toBe(1000);
    expect(await rotatedAt(1000 + 30 * 86_400_000)).toBe(1000 + 30 * 86_400_000);
  });

  it("are sealed in the store: another master key, or a swapped row, is rejected", async () => {
    await keys.load();
    await expect(replica({ master: toMasterKey(Buffer.alloc(32, 2)) }).load()).rejects.toMatchObject({
      code: "master-key/not-in-force",
      cause: { message: expect.stringContaining("signing-key/1") as string },
    });
    const [second, first] = await signingKeySecrets(database);
    await second?.replace(database, Buffer.from(first?.sealed ?? []));
    await expect(keys.load()).rejects.toMatchObject({ code: "seal/damaged", place: "signing-key/2" });
  });

  it("can be sealed by another master key, and go on reading the tokens they made", async () => {
    const text = token(await keys.load());
    const next = toMasterKey(Buffer.alloc(32, 2));
    await resealSecrets(database, { from: masterKey, to: next });
    expect(isReadBy(await replica({ master: next }).load(), text)).toBe(true);
    await expect(keys.load()).rejects.toMatchObject({ code: "master-key/not-in-force" });
  });

  it.each([2, 0, 3.5, Number.NaN])("are not limited to %d", (maxActiveKeys) => {
    expect(() => replica({ maxActiveKeys })).toThrow("expected an integer of at least 3");
  });
});

describe("the signing keys in memory", () => {
  it("are read again after 30 s, and after a second if none of them verifies a token", async () => {
    let reads = 0;
    const load = async () => {
      reads += 1;
      return keys.load();
    };
    now = 1_000_000;
    const ring = createKeyRing({ keys: { load }, clock: { now: () => now } });
    const readsAt = async (at: number, isOneMissing: boolean) => {
      now = at;
      await ring.current({ isOneMissing });
      return reads;
    };
    expect(await readsAt(1_000_000, false)).toBe(1);
    expect(await readsAt(1_029_999, false)).toBe(1);
    expect(await readsAt(1_030_000, false)).toBe(2);
    expect(await readsAt(1_030_999, true)).toBe(2);
    expect(await readsAt(1_031_000, true)).toBe(3);
  });
});
