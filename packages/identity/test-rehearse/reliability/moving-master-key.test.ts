/** Two replicas on PostgreSQL whose master key moves between all sources while users log in. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openDatabase } from "../../src/platform/database/open-database.js";
import { keyIdInForce } from "../../src/platform/secrets/master-key-in-force.js";
import { listWrappedKeys } from "../../src/platform/secrets/sources/wrapped-key-store.js";
import { postgresDatabases, type TestDatabase } from "../../test/databases.js";
import { migratedDatabase } from "../../test/migrated-databases.js";
import { startVault, type VaultDouble } from "../../test/platform/secrets/sources/vault-double.js";
import { createSoftToken, SOFT_MODULE, SOFT_PIN } from "../../test-system/platform/soft-token.js";
import { MAIN, runCommand } from "../../test-system/run-command.js";
import { runProgram } from "../../test-system/run-program.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../../test-system/service-process.js";
import { adminClient, logIn } from "../../test-system/reliability/admin-client.js";

let folder: string;
let place: TestDatabase;
let vault: VaultDouble;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-moving-"));
  place = await migratedDatabase(postgresDatabases);
  vault = await startVault(folder);
  vault.rotate("hamkit-identity");
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, vault.addToken(), { mode: 0o600 });
  const token = createSoftToken(folder);
  env = {
    ...token.env,
    IDENTITY_VAULT_URL: vault.url,
    IDENTITY_VAULT_CA_FILE: vault.caFile,
    IDENTITY_VAULT_TOKEN_FILE: tokenFile,
    IDENTITY_PKCS11_MODULE: SOFT_MODULE,
    IDENTITY_PKCS11_TOKEN: "identity",
    IDENTITY_PKCS11_PIN: SOFT_PIN,
  };
}, 60_000);
afterAll(async () => {
  await vault.close();
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

const keyFile = () => join(folder, "master.key");
const commandEnv = (more: Record<string, string> = {}) => ({
  PATH: process.env["PATH"] ?? "",
  IDENTITY_DATABASE_URL: place.url,
  IDENTITY_MASTER_KEY_FILE: keyFile(),
  ...env,
  ...more,
});
const keys = (...args: string[]) => runCommand(["keys", ...args], commandEnv());

async function findKeys() {
  const database = openDatabase(place.url);
  const found = { inForce: await keyIdInForce(database), wrapped: await listWrappedKeys(database) };
  await database.close();
  return found;
}

/** Logins by password and uses of a stored secret that no process has read before, at both replicas, until it is ended. */
function useReplicas(
  replicas: readonly ServiceProcess[],
  token: string,
  uses: readonly (() => Promise<string>)[],
) {
  const failures: string[] = [];
  let count = 0;
  const end = new AbortController();
  const runs = replicas.flatMap(({ url }) => [
    (async () => {
      while (!end.signal.aborted) {
        const { status, body } = await logIn(url, { name: "admin", password: ADMIN_PASSWORD });
        count++;
        if (status !== 201) failures.push(`login: ${status} ${JSON.stringify(body)}`);
      }
    })(),
    (async () => {
      for (const create of uses) {
        if (end.signal.aborted) return;
        const path = await create();
        const answer = await fetch(url + path, { headers: { "x-auth-token": token } });
        count++;
        if (answer.status !== 200) failures.push(`${path}: ${answer.status} ${await answer.text()}`);
      }
    })(),
  ]);
  return async () => {
    end.abort();
    await Promise.all(runs);
    return { count, failures };
  };
}

describe("two replicas on PostgreSQL", () => {
  let replicas: ServiceProcess[];
  beforeAll(async () => {
    const options = { databaseUrl: place.url, folder, env };
    replicas = [await startService(options)];
    replicas.push(await startService(options));
  }, 60_000);
  afterAll(() => Promise.all(replicas.map((replica) => replica.stop())));

  const readiness = () => Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/readyz`)).text()));

  it("fail no login while the master key moves from a file to Vault, to a token, within it, and back to a file", async () => {
    const [first] = replicas;
    const client = await adminClient(first?.url ?? "");
    const { users } = (await client.ask("GET", "/v3/users?name=admin")).body;
    // Sealed before the key is replaced, and read once after or while it is.
    const paths: string[] = [];
    for (let index = 0; index < 60; index++) {
      const credential = { user_id: users[0].id as string, type: "cert", blob: `secret ${index}` };
      paths.push(
        `/v3/credentials/${(await client.ask("POST", "/v3/credentials", { credential })).body.credential.id}`,
      );
    }
    const uses = paths.map((path) => async () => {
      await delay(80);
      return path;
    });

    const finish = useReplicas(replicas, client.token, uses);
    const seen = new Set<string>();
    const note = async () => seen.add((await findKeys()).inForce ?? "");
    await note();
    for (const to of ["vault", "pkcs11", "pkcs11", "vault"]) {
      expect(await keys("reseal", "--to", to)).toMatch(/^Resealed \d+ secrets with master key/);
      await note();
    }
    expect(await keys("rewrap")).toMatch(/of vault, version 1\.\n$/);
    const staged = `${keyFile()}.next`;
    writeFileSync(staged, randomBytes(32).toString("base64"), { mode: 0o600 });
    // Longer than the files are read again.
    await delay(2500);
    await keys("reseal", "--next-key-file", staged);
    await note();
    await rename(staged, keyFile());
    await expect.poll(readiness).toEqual(["", ""]);
    const { count, failures } = await finish();
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(50);
    for (const replica of replicas)
      for (const secret of [SOFT_PIN, ...vault.tokens.keys()]) expect(replica.output()).not.toContain(secret);
    // Six different keys, and no wrapped one is left.
    expect(seen.size).toBe(6);
    expect((await findKeys()).wrapped).toEqual([]);
  }, 120_000);

  it("have all secrets by one key after a reseal was killed at any moment", async () => {
    for (const afterMs of [500, 900, 1300, 1700, 2100]) {
      const reseal = spawn(process.execPath, [MAIN, "keys", "reseal", "--to", "vault"], {
        env: { ...process.env, ...commandEnv() },
        timeout: afterMs,
        killSignal: "SIGKILL",
        stdio: "ignore",
      });
      await once(reseal, "close");
      const { inForce, wrapped } = await findKeys();
      const isWrapped = wrapped.some(({ keyId }) => keyId === inForce);
      const doctor = await runProgram([process.execPath, MAIN, "doctor"], { env: commandEnv() });
      expect({ afterMs, doctor: doctor.output }).toEqual({
        afterMs,
        doctor: expect.stringMatching(
          new RegExp(`${inForce} is in force, ${isWrapped ? "wrapped by" : "from"}[^]*unseals all \\d+`),
        ) as string,
      });
    }
    await keys("reseal", "--to", "vault");
    expect((await findKeys()).wrapped).toHaveLength(1);
    await expect.poll(readiness).toEqual(["", ""]);
  }, 120_000);
});
