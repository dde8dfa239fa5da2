import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { unsealSecret, sealSecret, toMasterKey } from "../../../src/platform/secrets/sealing.js";

const key = toMasterKey(Buffer.alloc(32, 1));
const otherKey = toMasterKey(Buffer.alloc(32, 2));

describe("a sealed secret", () => {
  it("is opened with the same key at the same place, and is different each time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (secret, place) => {
        const sealed = sealSecret(key, secret, place);
        expect(unsealSecret(key, sealed, place)).toEqual(Buffer.from(secret));
        expect(sealSecret(key, secret, place)).not.toEqual(sealed);
      }),
    );
  });

  it("names the key that sealed it, when it is unsealed with another", () => {
    const sealed = sealSecret(key, Buffer.from("s"), "signing-key/1");
    expect(() => unsealSecret(otherKey, sealed, "signing-key/1")).toThrow(
      expect.objectContaining({
        code: "seal/wrong-key",
        message: `The secret at signing-key/1 can't be unsealed: sealed with master key ${key.id}, this service has ${otherKey.id}`,
      }),
    );
  });

  it("is not opened at another place, so that one can't be put where another belongs", () => {
    const sealed = sealSecret(key, Buffer.from("s"), "signing-key/1");
    expect(() => unsealSecret(key, sealed, "signing-key/2")).toThrow(
      expect.objectContaining({ code: "seal/damaged" }),
    );
  });

  it("is not opened with any bit changed or byte missing", () => {
    const sealed = sealSecret(key, Buffer.from("secret"), "here");
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => unsealSecret(key, changed, "here")).toThrow("The secret at here can't be unsealed");
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => unsealSecret(key, sealed.subarray(0, length), "here")).toThrow("can't be unsealed");
  });

  it("never shows itself in the sealed form", () => {
    expect(sealSecret(key, Buffer.from("correct horse"), "here").includes("correct")).toBe(false);
  });
});

describe("toMasterKey", () => {
  it("gives keys different ids, and refuses another length", () => {
    expect(key.id).toMatch(/^[0-9a-f]{16}$/);
    expect(key.id).not.toBe(otherKey.id);
    expect(() => toMasterKey(Buffer.alloc(31))).toThrow("32 bytes, not 31");
  });
});
