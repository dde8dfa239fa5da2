/** Starts of the service while the source of its master key is away, or refuses. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { migratedDatabase } from "../../test/migrated-databases.js";
import { startVault, type VaultDouble } from "../../test/platform/secrets/sources/vault-double.js";
import { freePort } from "../free-port.js";
import { ADMIN_PASSWORD, launch, refusedStart, startService } from "../service-process.js";
import { logIn } from "./admin-client.js";

let folder: string;
let place: TestDatabase;
let vault: VaultDouble;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-awaited-"));
  place = await migratedDatabase(sqliteDatabases);
  vault = await startVault(folder);
  vault.rotate("hamkit-identity");
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, vault.addToken(), { mode: 0o600 });
  env = {
    IDENTITY_MASTER_KEY_SOURCE: "vault",
    IDENTITY_VAULT_URL: vault.url,
    IDENTITY_VAULT_CA_FILE: vault.caFile,
    IDENTITY_VAULT_TOKEN_FILE: tokenFile,
  };
});
afterAll(async () => {
  await vault.close();
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe("a start without its source", () => {
  it("waits and says so while Vault is away, with several workers too, and serves when it is back", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await vault.stop();
    const starting = startService({
      databaseUrl: place.url,
      folder,
      env: { ...env, IDENTITY_WORKERS: "2", IDENTITY_LOG_LEVEL: "info" },
      port,
    });
    const ask = async (path: string) => {
      const answer = await fetch(url + path).catch(() => undefined);
      return answer === undefined ? undefined : { status: answer.status, text: await answer.text() };
    };
    await expect
      .poll(() => ask("/readyz"))
      .toMatchObject({
        status: 503,
        text: expect.stringContaining(
          "The service waits for its master key. The log has the reason.",
        ) as string,
      });
    expect(await ask("/healthcheck")).toEqual({ status: 200, text: "" });
    expect((await ask("/v3/auth/tokens"))?.status).toBe(503);
    await vault.start();
    const serving = new AbortController();
    const outcomes = Array.from({ length: 8 }, async () => {
      while (!serving.signal.aborted)
        await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch((error: unknown) => {
          // A refused connection is tried again; one that hangs is lost.
          if (error instanceof DOMException) throw error;
        });
    });
    const service = await starting;
    serving.abort();
    await Promise.all(outcomes);
    expect(service.output()).toMatch(/the service waits for its master key, and serves nothing until then/);
    expect(service.output()).toMatch(/"reason":"Vault at https:\/\/localhost:\d+: no response/);
    const statusOfLogin = async () => (await logIn(url, { name: "admin", password: ADMIN_PASSWORD })).status;
    expect(await statusOfLogin()).toBe(201);

    // A worker that waits alone answers nothing: the others serve.
    const pids = () =>
      [...service.output().matchAll(/"pid":(\d+),"msg":"serving"/g)].map(([, pid]) => Number(pid));
    await expect.poll(() => pids().length).toBe(2);
    await vault.stop();
    const waits = () => service.output().match(/the service waits for its master key/g)?.length;
    const before = waits();
    process.kill(pids()[1] ?? 0, "SIGKILL");
    await expect.poll(waits).toBe((before ?? 0) + 1);
    const statuses = await Promise.all(Array.from({ length: 8 }, statusOfLogin));
    await vault.start();
    expect(new Set(statuses)).toEqual(new Set([201]));
    await expect.poll(() => pids().length).toBe(3);
    await service.stop();
  }, 60_000);

  it("that waits, or has just begun, is stopped at once", async () => {
    await vault.stop();
    const port = await freePort();
    const options = { databaseUrl: place.url, folder, env: { ...env, IDENTITY_WORKERS: "2" } };
    const url = `http://127.0.0.1:${port}`;
    const starting = launch(options, port);
    await expect
      .poll(() =>
        fetch(`${url}/healthcheck`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    const begin = performance.now();
    starting.child.kill("SIGTERM");
    const exit = await starting.ended;
    await vault.start();
    expect({ exit, output: starting.output() }).toMatchObject({ exit: 0 });
    // Workers that don't stop are killed after 15 s.
    expect(performance.now() - begin).toBeLessThan(14_000);
  }, 60_000);

  it("ends, if waiting does not help: the transit key was deleted, or its version is refused", async () => {
    const options = { databaseUrl: place.url, folder, env };
    const key = vault.keys.get("hamkit-identity");
    if (key === undefined) throw new Error("no key");
    vault.rotate("hamkit-identity");
    key.minDecryption = 2;
    const refused = await refusedStart(options);
    expect(refused).toMatchObject({
      exit: 1,
      output: expect.stringContaining("disallowed by policy (too old) (status 400)") as string,
    });
    vault.keys.clear();
    expect((await refusedStart(options)).output).toContain("encryption key not found (status 400)");
    vault.keys.set("hamkit-identity", { ...key, minDecryption: 1 });
    await (await startService(options)).stop();
  }, 60_000);
});
