import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decryptFernet, encryptFernet, toFernetKey, type FernetKey } from "../../src/tokens/fernet.js";

/** The key, the moment and the texts of the specification's own test vectors: github.com/fernet/spec, *.json. */
const SPEC_KEY = keyFrom("cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=");
const SPEC_NOW = Date.parse("1985-10-26T01:20:00-07:00");
const SPEC_TOKEN =
  "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==";

function keyFrom(text: string): FernetKey {
  return toFernetKey(Buffer.from(text, "base64url"));
}

function keyOf(byte: number): FernetKey {
  return toFernetKey(Buffer.alloc(32, byte));
}

describe("a Fernet text", () => {
  it("is the specification's for its key, moment and IV, without the padding", () => {
    const iv = Uint8Array.from({ length: 16 }, (_, index) => index);
    const text = encryptFernet(SPEC_KEY, Buffer.from("hello"), { at: SPEC_NOW, iv });
    expect(text).toBe(SPEC_TOKEN.replaceAll("=", ""));
  });

  it.each([0, 1, 2])("is read without %i characters of the padding", (cut) => {
    const text = SPEC_TOKEN.slice(0, SPEC_TOKEN.length - cut);
    const freshness = { ttlSeconds: 60, now: SPEC_NOW + 1000 };
    const found = decryptFernet([SPEC_KEY], text, { freshness });
    expect(found?.payload.toString()).toBe("hello");
    expect(found?.madeAtSeconds).toBe(SPEC_NOW / 1000);
  });

  it.each([
    [
      "incorrect mac",
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAl1-szkFVzXTuGb4hR8AKtwcaX1YdykQUFBQUFBQUFBQQ==",
    ],
    ["too short", "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPA=="],
    [
      "invalid base64",
      "%%%%%%%%%%%%%AECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAl1-szkFVzXTuGb4hR8AKtwcaX1YdykRtfsH-p1YsUD2Q==",
    ],
    [
      "payload size not multiple of block size",
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPOm73QeoCk9uGib28Xe5vz6oxq5nmxbx_v7mrfyudzUm",
    ],
    [
      "payload padding error",
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0ODz4LEpdELGQAad7aNEHbf-JkLPIpuiYRLQ3RtXatOYREu2FWke6CnJNYIbkuKNqOhw==",
    ],
    [
      "far-future TS (unacceptable clock skew)",
      "gAAAAAAdwStRAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAnja1xKYyhd-Y6mSkTOyTGJmw2Xc2a6kBd-iX9b_qXQcw==",
    ],
    [
      "incorrect IV (causes padding error)",
      "gAAAAAAdwJ6xBQECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAkLhFLHpGtDBRLRTZeUfWgHSv49TF2AUEZ1TIvcZjK1zQ==",
    ],
  ])("of the specification is refused: %s", (_, text) => {
    const freshness = { ttlSeconds: 60, now: SPEC_NOW + 1000 };
    expect(decryptFernet([SPEC_KEY], text, { freshness })).toBeUndefined();
  });

  it("of the specification is refused once it is older than it may be", () => {
    const text =
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD3HkMATM5lFqGaerZ-fWPAl1-szkFVzXTuGb4hR8AKtwcaX1YdykRtfsH-p1YsUD2Q==";
    const after = (ms: number): object => ({ freshness: { ttlSeconds: 60, now: SPEC_NOW + ms } });
    expect(decryptFernet([SPEC_KEY], text, after(91_000))).toBeUndefined();
    expect(decryptFernet([SPEC_KEY], text, after(2000))?.payload).toEqual(Buffer.alloc(0));
  });

  it("is read with any of the keys, whichever made it", () => {
    const keys = [keyOf(1), keyOf(2), keyOf(3)];
    for (const key of keys) {
      const text = encryptFernet(key, Buffer.from("who"), { at: 0 });
      expect(decryptFernet(keys, text)?.payload.toString()).toBe("who");
      expect(decryptFernet([keyOf(4)], text)).toBeUndefined();
    }
  });

  it("gives back any payload, and is another text each time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(4e12), (payload, at) => {
        const texts = [1, 2].map(() => encryptFernet(SPEC_KEY, payload, { at }));
        expect(texts[0]).not.toBe(texts[1]);
        for (const text of texts) {
          const found = decryptFernet([SPEC_KEY], text);
          expect(found?.payload).toEqual(Buffer.from(payload));
          expect(found?.madeAtSeconds).toBe(Math.floor(at / 1000));
        }
      }),
    );
  });

  it("is refused with any bit changed, and with any character added", () => {
    const bytes = Buffer.from(SPEC_TOKEN, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(decryptFernet([SPEC_KEY], changed.toString("base64url"))).toBeUndefined();
    }
    for (const added of ["A", " ", "\n", "=", "%00"])
      expect(decryptFernet([SPEC_KEY], SPEC_TOKEN + added)).toBeUndefined();
  });

  it("has no second spelling: bits behind the last byte have to be zero, and the alphabet is the URL-safe one", () => {
    const unpadded = SPEC_TOKEN.replaceAll("=", "");
    expect(decryptFernet([SPEC_KEY], `${unpadded.slice(0, -1)}B`)).toBeUndefined();
    expect(decryptFernet([SPEC_KEY], unpadded.replaceAll("_", "/").replaceAll("-", "+"))).toBeUndefined();
  });

  it("is not looked at when it is too long", () => {
    const text = encryptFernet(SPEC_KEY, Buffer.alloc(9000), { at: 0 });
    expect(decryptFernet([SPEC_KEY], text)).toBeUndefined();
    expect(decryptFernet([SPEC_KEY], text, { maxLength: 20_000 })?.payload.length).toBe(9000);
  });
});

describe("toFernetKey", () => {
  it.each([0, 16, 31, 33])("refuses %i bytes", (length) => {
    expect(() => toFernetKey(new Uint8Array(length))).toThrow(`has ${length} bytes, expected 32`);
  });
});
