import { expect, it } from "vitest";

import { describeHash } from "../../../src/import/transfers/hash-kinds.js";

// Hashes that Keystone's releases have written.
it.each([
  ["$2b$12$rpAFjb840OOD8E6MJbFDK.ubm0ZsW4T9LGTsg8dz3JM4WatBnYqpm", "bcrypt, cost 12", false],
  ["$2b$04$0r6NgOHA42Xe0AKeLoswi.nBS74tWBe8MvREgp6BNFf2yMT5qidQm", "bcrypt, cost 4", true],
  [
    "$bcrypt-sha256$v=2,t=2b,r=10$uf/5PDpqY3S3Sye8pfXqiO$WfFlVgPKwkDkrAKeijy9iBQBJyqc776",
    "bcrypt_sha256, cost 10",
    false,
  ],
  [
    "$scrypt$ln=16,r=8,p=1$1BrDGCMkxNi7V0qpdU7J+Q$l+iHlBMyKsFlWovQbbheHXfUTCkyAWVhs27n5lBmRT0",
    "scrypt, ln 16",
    false,
  ],
  ["$scrypt$ln=10,r=4,p=2$AWCMUaqVcm5Nyfl/z1krxTjnfA+B0LqX0jonhBCCEMI$sRaB", "scrypt, ln 10", true],
  ["$pbkdf2-sha512$25000$dE4p5TyH8B6DUGqtVWpNiQ$hYGC", "pbkdf2_sha512, rounds 25000", true],
  ["$6$rounds=10000$J/l/Jq8cXppX4eWO$e4pF7sb3", "sha512_crypt, rounds 10000", true],
  ["$6$J/l/Jq8cXppX4eWO$e4pF7sb3", "sha512_crypt, rounds 5000", true],
  ["{SSHA}abc", "unknown format", false],
])("%s is %s", (hash, kind, isWeak) => {
  const description = describeHash(hash);
  expect(description.kind).toBe(kind);
  expect(description.weakness !== undefined).toBe(isWeak);
});
