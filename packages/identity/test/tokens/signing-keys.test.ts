import { beforeEach, describe, expect, it } from "vitest";

import { toMasterKey } from "../../src/platform/sealing.js";
import { decryptFernet, encryptFernet } from "../../src/tokens/fernet.js";
import {
  createSigningKeys,
  type SigningKeyRing,
  type SigningKeys,
  type SigningKeyStore,
  type StoredSigningKey,
} from "../../src/tokens/signing-keys.js";

const masterKey = toMasterKey(Buffer.alloc(32, 1));

let store: SigningKeyStore & { readonly rows: Map<number, StoredSigningKey> };
let now: number;
let keys: SigningKeys;
beforeEach(() => {
  store = createMemoryStore();
  now = 1000;
  keys = replica();
});

function createMemoryStore(): typeof store {
  const rows = new Map<number, StoredSigningKey>();
  return {
    rows,
    list: async () => Promise.resolve([...rows.values()]),
    add: async (key) => {
      await Promise.resolve();
      if (rows.has(key.number)) return false;
      rows.set(key.number, key);
      return true;
    },
    removeBelow: async (number) => {
      for (const each of rows.keys()) if (each < number) rows.delete(each);
      await Promise.resolve();
    },
    replaceSealed: async (sealed) => {
      for (const row of rows.values())
        rows.set(row.number, { ...row, sealed: sealed.get(row.number) ?? row.sealed });
      await Promise.resolve();
    },
  };
}

function replica(options: { maxActiveKeys?: number; master?: typeof masterKey } = {}): SigningKeys {
  return createSigningKeys({
    store,
    masterKey: options.master ?? masterKey,
    clock: { now: () => now },
    maxActiveKeys: options.maxActiveKeys ?? 3,
  });
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
    expect(store.rows.size).toBe(2);
  });

  it("are renewed without logging anyone out: tokens of the last primary are read after a rotation", async () => {
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
    expect([...store.rows.keys()]).toEqual([3, 4, 5]);
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

  it("tell when they were renewed last", async () => {
    expect((await keys.load()).rotatedAt).toBe(1000);
    now = 5000;
    expect((await keys.rotate()).rotatedAt).toBe(5000);
  });

  it("lie sealed in the store: another master key, or one key in the place of another, is refused", async () => {
    await keys.load();
    await expect(replica({ master: toMasterKey(Buffer.alloc(32, 2)) }).load()).rejects.toMatchObject({
      code: "seal/wrong-key",
      place: "signing-key/1",
    });
    const [first, second] = [...store.rows.values()] as [StoredSigningKey, StoredSigningKey];
    store.rows.set(2, { ...second, sealed: first.sealed });
    await expect(keys.load()).rejects.toMatchObject({ code: "seal/damaged", place: "signing-key/2" });
  });

  it("can be sealed by another master key, and go on reading the tokens they made", async () => {
    const text = token(await keys.load());
    const next = toMasterKey(Buffer.alloc(32, 2));
    await keys.reseal(next);
    expect(isReadBy(await replica({ master: next }).load(), text)).toBe(true);
    await expect(keys.load()).rejects.toMatchObject({ code: "seal/wrong-key" });
  });

  it.each([2, 0, 3.5, Number.NaN])("are not limited to %d", (maxActiveKeys) => {
    expect(() => replica({ maxActiveKeys })).toThrow("is not a whole number from 3");
  });
});
