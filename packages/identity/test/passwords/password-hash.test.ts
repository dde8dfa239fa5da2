import { describe, expect, it } from "vitest";

import {
  createPasswordHasher,
  isKnownPasswordHash,
  passwordHashKind,
} from "../../src/passwords/password-hash.js";
import { cpuMs } from "../cpu-time.js";

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

/** Made by `openssl passwd -6`. */
const SHA512_CRYPT: readonly [string, string][] = [
  [
    "Hello world!",
    "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
  ],
  [
    "we have a short salt string but not a short password",
    "$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0",
  ],
  [
    "a very much longer text to encrypt.  This one even stretches over morethan one line.",
    "$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1",
  ],
  [
    "Pässwörd-☃",
    "$6$ümlaut$84a6.HaCsJHSwi5zr37p0JXm0LCfQqOqWMluwQptkOcyMRgdZl3TYGnG2pmrgWa6x/SoGx2s0l6Tu7C1mXIVz.",
  ],
];

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

  it.each(SHA512_CRYPT)("of early releases of Keystone is verified: %s", async (password, stored) => {
    expect(passwordHashKind(stored)).toBe("sha512_crypt");
    expect(await hasher.verify(password, stored)).toEqual({ matches: true, needsRehash: true });
    expect(await hasher.verify(`${password}.`, stored)).toEqual({ matches: false, needsRehash: false });
  });

  it("has a kind, for reports", () => {
    const kinds = Object.entries(IMPORTED).map(([name, stored]) => [name, passwordHashKind(stored)]);
    expect(Object.fromEntries(kinds)).toEqual({
      bcrypt: "bcrypt",
      "bcrypt 2a": "bcrypt",
      "bcrypt-sha256": "bcrypt_sha256",
      "bcrypt-sha256 v1": "bcrypt_sha256",
      scrypt: "scrypt",
      "pbkdf2-sha512": "pbkdf2_sha512",
    });
    expect(passwordHashKind("$5$salt$digest")).toBeUndefined();
  });

  it.each([
    ["scrypt", /^\$scrypt\$ln=16,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/],
    ["bcrypt", /^\$2b\$12\$[./A-Za-z0-9]{53}$/],
  ] as const)("is made in a format of Keystone, if the operator chose %s", async (kind, pattern) => {
    const keystones = createPasswordHasher({ concurrency: 2, maxWaiting: 100, kind });
    const stored = await keystones.hash(PASSWORD);
    expect(stored).toMatch(pattern);
    expect(await keystones.verify(PASSWORD, stored)).toEqual({ matches: true, needsRehash: false });
    expect(await keystones.verify(`${PASSWORD}.`, stored)).toEqual({ matches: false, needsRehash: false });
    expect(await keystones.verify(PASSWORD, IMPORTED[kind])).toEqual({ matches: true, needsRehash: true });
    expect(await keystones.verify(PASSWORD, await hasher.hash(PASSWORD))).toMatchObject({
      needsRehash: true,
    });
    // CVE-2021-3563: what is behind the 72 bytes of bcrypt counts.
    const long = await keystones.hash("p".repeat(86));
    expect(await keystones.verify("p".repeat(86), long)).toEqual({ matches: true, needsRehash: false });
    expect(await keystones.verify(`${"p".repeat(85)}q`, long)).toMatchObject({ matches: false });
    expect(await keystones.verify("p".repeat(72), long)).toMatchObject({ matches: false });
  });

  it("a-truncated-hash-matches-nothing: a digest of no bytes matched any password", async () => {
    for (const stored of ["$pbkdf2-sha512$100$c2FsdA$.", "$scrypt$ln=4,r=8,p=1$c2FsdA$."])
      for (const password of ["", "any"])
        expect(await hasher.verify(password, stored)).toEqual({ matches: false, needsRehash: false });
  });

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
    // Digests cut off: of no bytes, everything would be the same.
    "$pbkdf2-sha512$100$lzLGuNeaszZGSIlxjvHeew$.",
    "$scrypt$ln=4,r=8,p=1$7Z2TUmotxbg3JsQYwzinlA$2",
    `$pbkdf2-sha512$1000000$lzLGuNeaszZGSIlxjvHeew$${"A".repeat(1_000_000)}`,
    "$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$HAO5Zos1OTxHR9X0pIcUX6TY52m+/mcdXFq/5p/y0zE",
    "$argon2id$v=19$m=262144,t=999,p=1$c2FsdHNhbHRzYWx0c2FsdA$HAO5Zos1OTxHR9X0pIcUX6TY52m+/mcdXFq/5p/y0zE",
    `$6$rounds=999999999$salt$${".".repeat(86)}`,
    `$6$saltoflongerthansixteen$${".".repeat(86)}`,
    "$bcrypt-sha256$v=2,t=2b,r=31$tq0QZfJLxWTuaJ/N5vzNmO$U0ZdNarZWLweCFbctLZghi77S56Kobq",
    "$scrypt$ln=16,r=999,p=999$7Z2TUmotxbg3JsQYwzinlA$2kGrWeqQZPcAJqRatmTOIlKFmJ9iqnX3T0u5DMdZ6Xk",
  ])("that is unknown, damaged or too costly matches nothing: %s", async (stored) => {
    expect(await hasher.verify(PASSWORD, stored)).toEqual({ matches: false, needsRehash: false });
  });

  it("of many rounds is not computed for a long password: the cost is that of both", async () => {
    const stored = `$6$rounds=1000000$salt$${".".repeat(86)}`;
    const start = cpuMs();
    expect(await hasher.verify("p".repeat(4096), stored)).toMatchObject({ matches: false });
    // A second at most: the computation would take a minute.
    expect(cpuMs() - start).toBeLessThan(1000);
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
    const start = cpuMs();
    await work();
    times.push(cpuMs() - start);
  }
  return Math.min(...times);
}
