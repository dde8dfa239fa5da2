import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { decryptFernet, encryptFernet, toFernetKey } from "../src/tokens/fernet.js";
import { askPython } from "./python.js";

interface Answer {
  /** Of each payload a text. */
  readonly made: readonly string[];
  /** Of each text the payload in hexadecimal digits, `null` if it is none. */
  readonly read: readonly (string | null)[];
}

const secrets = [randomBytes(32), randomBytes(32), randomBytes(32)];
const keys = secrets.map(toFernetKey);
const seconds = 1_795_226_127;
const payloads = Array.from({ length: 100 }, (_, length) => randomBytes(length));

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

function ask(question: { payloads?: readonly Buffer[]; texts?: readonly string[] }): Answer {
  return askPython("fernet.py", {
    keys: secrets.map((secret) => padded(secret.toString("base64url"))),
    seconds,
    payloads: (question.payloads ?? []).map((payload) => payload.toString("hex")),
    texts: question.texts ?? [],
  }) as Answer;
}

describe("Fernet, and the cryptography package of Python's", () => {
  it("reads what Python makes, with its moment", () => {
    const { made } = ask({ payloads });
    for (const [index, text] of made.entries())
      expect(decryptFernet(keys, text)).toEqual({ payload: payloads[index], madeAtSeconds: seconds });
  });

  it("makes what Python reads, with any of the keys", () => {
    const texts = payloads.map((payload, index) => {
      const key = keys[index % keys.length] as (typeof keys)[number];
      return padded(encryptFernet(key, payload, { at: seconds * 1000 }));
    });
    expect(ask({ texts }).read).toEqual(payloads.map((payload) => payload.toString("hex")));
  });

  it("refuses, as Python does, a text with any byte changed", () => {
    const [text = ""] = ask({ payloads: [Buffer.from("payload")] }).made;
    const bytes = Buffer.from(text, "base64url");
    const changed = Array.from(bytes, (byte, index) => {
      const copy = Buffer.from(bytes);
      copy[index] = byte ^ 1;
      return copy.toString("base64url");
    });
    expect(ask({ texts: changed.map(padded) }).read).toEqual(changed.map(() => null));
    expect(changed.map((each) => decryptFernet(keys, each))).toEqual(changed.map(() => undefined));
  });
});
