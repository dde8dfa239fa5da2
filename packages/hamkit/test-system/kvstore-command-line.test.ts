import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { LookupLib } from "../src/lookuplib.js";
import { startRedis, type RedisServer } from "./redis-servers.js";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis("--requirepass", "secret");
  const client = new Redis({ port: server.port, password: "secret" });
  await new LookupLib({ offline: true }).copyDataInKvstore("CF", client);
  client.disconnect();
});
afterAll(() => server.stop());

describe("hamkit call --in kvstore", () => {
  it("answers from the store, and ends", () => {
    const HAMKIT_STORE_URL = server.url.replace("//", "//:secret@");
    const env = { ...process.env, HAMKIT_STORE_URL, HAMKIT_STORE_PREFIX: "CF" };
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [MAIN, "call", "HC2/DH1TW", "--json", "--in", "kvstore"],
      { encoding: "utf8", env, timeout: 20_000 },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain("Ecuador");
    expect(stdout).not.toContain("secret");
  });
});
