import { describe, expect, it } from "vitest";

import { hamkit } from "../run-cli.js";

describe("hamkit call --in kvstore", () => {
  it("refuses an address that is none, without showing the password in it", async () => {
    for (const HAMKIT_STORE_URL of [
      "localhost:6379",
      "http://me:secret@localhost",
      "redis//:secret@localhost",
    ]) {
      const env = { HAMKIT_STORE_URL, HAMKIT_STORE_PREFIX: "CF" };
      const { stderr, exitCode } = await hamkit(["call", "DH1TW", "--in", "kvstore"], { env });
      expect(stderr).toContain("HAMKIT_STORE_URL is not an address such as redis://localhost:6379");
      expect(stderr).not.toContain("secret");
      expect(exitCode).toBe(2);
    }
  });

  it("names the unreachable store, without account and password", async () => {
    // No server listens on port 1.
    const env = { HAMKIT_STORE_URL: "redis://me:secret@127.0.0.1:1/2", HAMKIT_STORE_PREFIX: "CF" };
    const { stderr, exitCode } = await hamkit(["call", "DH1TW", "--in", "kvstore"], { env });
    expect(stderr).toContain("redis://127.0.0.1:1/2: the store can't be reached");
    expect(stderr).not.toContain("secret");
    expect(exitCode).toBe(3);
  });
});
