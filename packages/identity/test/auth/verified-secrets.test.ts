import { describe, expect, it } from "vitest";

import { createVerifiedSecrets } from "../../src/auth/methods/application-credential-login.js";

/** A hash is `hash of SECRET`. */
function verifier(maxEntries?: number) {
  const checked: (string | undefined)[] = [];
  const verify = createVerifiedSecrets({
    hasher: {
      async verify(secret, hash) {
        checked.push(hash);
        return Promise.resolve({ matches: hash === `hash of ${secret}`, needsRehash: false });
      },
    },
    ...(maxEntries !== undefined && { maxEntries }),
  });
  return { verify, checked };
}

describe("a verified secret", () => {
  it("is hashed once, and a wrong one each time, also after the right one", async () => {
    const { verify, checked } = verifier();
    expect(await verify("no", "hash of s")).toBe(false);
    expect(await verify("s", "hash of s")).toBe(true);
    expect(await verify("s", "hash of s")).toBe(true);
    expect(checked).toHaveLength(2);
    expect(await verify("no", "hash of s")).toBe(false);
    expect(await verify("no", "hash of s")).toBe(false);
    expect(checked).toHaveLength(4);
    expect(await verify("s", "hash of s")).toBe(true);
    expect(checked).toHaveLength(4);
  });

  it("counts for its hash alone", async () => {
    const { verify, checked } = verifier();
    await verify("s", "hash of s");
    expect(await verify("s", "hash of another")).toBe(false);
    expect(checked).toEqual(["hash of s", "hash of another"]);
  });

  it("takes the time of a hash where there is none", async () => {
    const { verify, checked } = verifier();
    expect(await verify("s", undefined)).toBe(false);
    expect(checked).toEqual([undefined]);
  });

  it("is forgotten when too many others follow", async () => {
    const { verify, checked } = verifier(2);
    for (const secret of ["a", "b", "c", "b", "c"]) await verify(secret, `hash of ${secret}`);
    expect(checked).toHaveLength(3);
    await verify("a", "hash of a");
    expect(checked).toHaveLength(4);
  });
});
