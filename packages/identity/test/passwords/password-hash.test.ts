import { describe, expect, it } from "vitest";

import { createPasswordHasher, isKnownPasswordHash } from "../../src/passwords/password-hash.js";

const hasher = createPasswordHasher({ concurrency: 2, maxWaiting: 100 });

/** Made by passlib 1.7.4, with few rounds. */
const PASSWORD = "correct horse battery stäple";
const IMPORTED = {
  bcrypt: "$2b$04$lUSSJerQvF8DAt2fyy/5aO0Rdd8zUX7N1hNHgWSKBpQMhNjaxkCx.",
  "bcrypt 2a": "$2a$04$/QeIw6EJRCXOJ2lY9BqU4esp2xvTzcPfTFK7LonCRE8cVfb9EkHIG",
  "bcrypt-sha256": "$bcrypt-sha256$v=2,t=2b,r=4$tq0QZfJLxWTuaJ/N5vzNmO$U0ZdNarZWLweCFbctLZghi77S56Kobq",
  "bcrypt-sha256 v1": "$bcrypt-sha256$2b,4$ZL4uiEjUUGYnTYWBCqVZpO$fZH3LiXNONmCvRzke.dmn.928UQeZey",
  scrypt: "$scrypt$ln=4,r=8,p=1$7Z2TUmotxbg3JsQYwzinlA$2kGrWeqQZPcAJqRatmTOIlKFmJ9iqnX3T0u5DMdZ6Xk",
  "pbkdf2-sha512":
    "$pbkdf2-sha512$100$lzLGuNeaszZGSIlxjvHeew$PHKKMsjoekRGS2OZwtzLT5bP1sS99eimkdWTGNQwxF2c8yhhABAIToawW9cnBd6wKmQr1jAlpmNR0MmGAXgkAQ",
};

/** 72 letters `p`, by the `bcrypt` of Python. */
const BCRYPT_72 = "$2b$04$hBpx4lQ3gYjM4JXDGW74JOeOwSQa7aOkZl0qPyPZo6sGZokwOxu0S";

describe("a password's hash", () => {
  it("is argon2id at OWASP's cost, salted, and matches its password alone", async () => {
    const stored = await hasher.hash(PASSWORD);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hasher.hash(PASSWORD)).not.toBe(stored);
    expect(await hasher.verify(PASSWORD, stored)).toEqual({ matches: true, needsRehash: false });
    expect(await hasher.verify(`${PASSWORD} `, stored)).toEqual({ matches: false, needsRehash: false });
    expect(isKnownPasswordHash(stored)).toBe(true);
  });

  it("of a lower cost is to be renewed", async () => {
    // Of "pw" with the salt "saltsaltsaltsalt", 8 MiB and one pass.
    const weaker =
      "$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$HAO5Zos1OTxHR9X0pIcUX6TY52m+/mcdXFq/5p/y0zE";
    expect(await hasher.verify("pw", weaker)).toEqual({ matches: true, needsRehash: true });
    expect(await hasher.verify("PW", weaker)).toEqual({ matches: false, needsRehash: false });
  });

  it.each(Object.entries(IMPORTED))(
    "of another system is checked, and is to be renewed: %s",
    async (_, stored) => {
      expect(isKnownPasswordHash(stored)).toBe(true);
      expect(await hasher.verify(PASSWORD, stored)).toEqual({ matches: true, needsRehash: true });
      expect(await hasher.verify(`${PASSWORD}.`, stored)).toEqual({ matches: false, needsRehash: false });
    },
  );

  it("of bcrypt is of the first 72 bytes, as Keystone cuts them; ours is of all", async () => {
    const long = "p".repeat(80);
    expect((await hasher.verify(long, BCRYPT_72)).matches).toBe(true);
    expect((await hasher.verify("p".repeat(71), BCRYPT_72)).matches).toBe(false);
    const ours = await hasher.hash(long);
    expect((await hasher.verify("p".repeat(72), ours)).matches).toBe(false);
  });

  it.each([
    "",
    "plain",
    "$1$salt$digest",
    "$argon2id$junk",
    "$argon2id$v=19$m=19456,t=2,p=1$$",
    "$2b$04$short",
    "$2b$31$hBpx4lQ3gYjM4JXDGW74JOeOwSQa7aOkZl0qPyPZo6sGZokwOxu0S",
    "$scrypt$ln=63,r=8,p=1$7Z2TUmotxbg3JsQYwzinlA$2kGrWeqQZPcAJqRatmTOIlKFmJ9iqnX3T0u5DMdZ6Xk",
    "$pbkdf2-sha512$99999999$lzLGuNeaszZGSIlxjvHeew$PHKKMsjoekRGS2OZwtzLTw",
  ])("that is unknown, damaged or too costly matches nothing: %s", async (stored) => {
    expect(await hasher.verify(PASSWORD, stored)).toEqual({ matches: false, needsRehash: false });
  });

  it("is not made of more than 4096 bytes, and such a password matches nothing", async () => {
    await expect(hasher.hash("ä".repeat(2049))).rejects.toThrow("4098 bytes is longer than 4096");
    const stored = await hasher.hash("ä".repeat(2048));
    expect((await hasher.verify("ä".repeat(2048), stored)).matches).toBe(true);
    expect((await hasher.verify(`${"ä".repeat(2048)}x`, stored)).matches).toBe(false);
  });
});

describe("checking a password", () => {
  it("takes the same time for a user that doesn't exist", async () => {
    const stored = await hasher.hash(PASSWORD);
    // The least of several, as other work on the machine only ever adds.
    const unknown = await leastMs(async () => hasher.verify("guess", undefined));
    const known = await leastMs(async () => hasher.verify("guess", stored));
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  it("leaves the event loop free, and turns away who would wait behind too many", async () => {
    const busy = createPasswordHasher({ concurrency: 1, maxWaiting: 20 });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const checks = Array.from({ length: 30 }, async () => busy.verify("guess", undefined));
    const settled = await Promise.allSettled(checks);
    clearInterval(timer);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(21);
    expect(settled.at(-1)).toMatchObject({ reason: { code: "service/busy" } });
    expect(turns).toBeGreaterThan(21);
  });
});

async function leastMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 8; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}
