import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { run } from "../../../identity/src/program.js";
import type { ProgramIo } from "../../../identity/src/commands/command-context.js";
import { openDatabase } from "../../../identity/src/platform/database/open-database.js";
import { databases } from "../../../identity/test/databases.js";
import { testApp, ADMIN_PASSWORD, type TestApp } from "../../../identity/test/test-app.js";

let folder: string;
let place: TestApp;
let databaseUrl: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-export-"));
  const keyFile = join(folder, "master.key");
  await writeFile(keyFile, Buffer.alloc(32, 7).toString("base64"), { mode: 0o600 });
  const own = await databases.create();
  databaseUrl = own.url;
  env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_KEY_FILE: keyFile };
  place = await testApp({ name: databases.name, create: () => Promise.resolve(own) }, env);
});

afterEach(async () => {
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

async function type(...args: string[]) {
  let output = "";
  let errors = "";
  const io = {
    env,
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
    isInteractive: false,
  } as unknown as ProgramIo;
  return { exit: await run(args, io), output, errors };
}

const TO_FILE = ["--for", "postgresql", "--schema", "head"];

it("writes a file that only its owner can read, and reports hashes that Keystone can't read", async () => {
  const file = join(folder, "keystone.sql");
  const { exit, output, errors } = await type("export", "--sql", file, ...TO_FILE);
  expect(errors).toBe("");
  expect(exit).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const sql = await readFile(file, "utf8");
  expect(sql.split("\n").at(-2)).toBe("commit;");
  expect(sql)
    .toContain(`insert into "local_user" ("id", "user_id", "domain_id", "name", "failed_auth_count", "failed_auth_at") values
(1, `);
  // Keystone knows no argon2id: the hash of the administrator is not written.
  expect(sql).not.toContain("argon2");
  expect(output).toMatch(/user_password\.hash: Keystone can't read the hash \(argon2id\).*\/1$/m);
  expect(sql).not.toContain(ADMIN_PASSWORD);
});

it("does not replace a file, and leaves none behind that is incomplete", async () => {
  const file = join(folder, "keystone.sql");
  await writeFile(file, "kept");
  const refused = await type("export", "--sql", file, ...TO_FILE);
  expect(refused.exit).toBe(1);
  expect(refused.errors).toContain(`The file ${file} exists: expected a new one`);
  expect(await readFile(file, "utf8")).toBe("kept");

  await rm(file);
  await writeFile(join(folder, "keys"), "not a folder");
  const failed = await type("export", "--sql", file, ...TO_FILE, "--credential-keys", join(folder, "keys"));
  expect(failed.exit).toBe(1);
  expect((await readdir(folder)).filter((name) => name.startsWith("keystone.sql"))).toEqual([]);
});

it("removes new credential keys and the file if a secret can't be unsealed", async () => {
  const database = openDatabase(databaseUrl);
  const row = { domain_id: "default", group_name: "ldap", option_name: "password", value: null };
  await database
    .tables<{ domain_config: object }>()
    .insertInto("domain_config")
    .values({ ...row, sealed: Buffer.alloc(60) })
    .execute();
  await database.close();
  const before = await readdir(folder);
  const file = join(folder, "keystone.sql");
  const keys = ["--credential-keys", join(folder, "keys")];
  const { exit, errors } = await type("export", "--sql", file, ...TO_FILE, ...keys);
  expect([exit, errors]).toEqual([1, expect.stringContaining("can't be unsealed")]);
  expect(await readdir(folder)).toEqual(before);
});

it.each([
  [["export"], "IDENTITY_EXPORT_DATABASE_URL"],
  [["export", "--sql", "x.sql", "--schema", "head"], "--for"],
  [["export", "--sql", "x.sql", "--for", "mariadb"], "--schema"],
  [["export", "--schema", "head"], "--schema"],
  [["export", "--sql", "x.sql", "--to", "mysql://h/n", ...TO_FILE], "--sql"],
])("%j names the option that is missing or does not fit", async (args, option) => {
  const { exit, errors } = await type(...args);
  expect(exit).toBe(2);
  expect(errors).toContain(option);
});

it("takes no password on the command line", async () => {
  const { exit, errors } = await type("export", "--to", "postgres://keystone:very-secret@127.0.0.1/keystone");
  expect(exit).toBe(2);
  expect(errors).toContain("IDENTITY_EXPORT_DATABASE_URL");
  expect(errors).not.toContain("very-secret");
});
