import { describe, expect, it } from "vitest";

import { createPasswordHasher, isKnownPasswordHash } from "../src/passwords/password-hash.js";
import { askPython } from "./python.js";

const hasher = createPasswordHasher({ concurrency: 2, maxWaiting: 1000 });
const passwords = [
  "secret",
  "correct horse battery stäple",
  "p".repeat(100),
  "ö".repeat(50),
  "🔑 ".repeat(7),
];

describe("passwords of a Keystone, hashed by passlib and bcrypt", () => {
  it("are good here, in every form and whatever their length; others are not", async () => {
    const hashed = askPython("password-hashes.py", passwords) as Record<string, string>[];
    for (const [index, password] of passwords.entries()) {
      for (const [form, stored] of Object.entries(hashed[index] ?? {})) {
        const facts = { form, password, isKnown: isKnownPasswordHash(stored) };
        const right = { ...facts, ...(await hasher.verify(password, stored)) };
        const wrong = { ...facts, ...(await hasher.verify(`x${password}`, stored)) };
        expect(right).toEqual({ form, password, isKnown: true, matches: true, needsRehash: true });
        expect(wrong).toEqual({ form, password, isKnown: true, matches: false, needsRehash: false });
      }
    }
    expect(Object.keys(hashed[0] ?? {})).toHaveLength(9);
  });
});

describe("hashes of the kinds that Keystone reads", () => {
  it.each(["scrypt", "bcrypt"] as const)("are verified by passlib and bcrypt: %s", async (kind) => {
    const keystones = createPasswordHasher({ concurrency: 2, maxWaiting: 1000, kind });
    const pairs: [string, string][] = [];
    for (const password of passwords) pairs.push([password, await keystones.hash(password)]);
    const wrong = pairs.map(([password, stored]) => [`x${password}`, stored]);
    expect(askPython("password-hashes-verify.py", pairs)).toEqual(pairs.map(() => true));
    expect(askPython("password-hashes-verify.py", wrong)).toEqual(pairs.map(() => false));
  });
});
