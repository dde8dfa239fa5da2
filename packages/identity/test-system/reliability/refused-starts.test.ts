import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openDatabase } from "../../src/platform/database/open-database.js";
import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { AS_UNPRIVILEGED, refusedStart, startService, type ServiceOptions } from "../service-process.js";

/** The output of a service that refuses to start: one line with the reason, without a stack trace. */
async function refusalOf(options: ServiceOptions): Promise<string> {
  const { exit, output } = await refusedStart(options);
  expect(output).toMatch(/^hamkit-identity: \S[^\n]*$/m);
  expect(output).not.toMatch(/^\s+at /m);
  expect(exit).toBe(1);
  return output;
}

// The service has been started once before.
for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`the service on ${databases.name} refuses to start`, () => {
    let database: TestDatabase;
    let folder: string;
    beforeEach(async () => {
      database = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      const service = await startService({ databaseUrl: database.url, folder });
      await service.stop();
    });
    afterEach(async () => {
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    const refusal = () => refusalOf({ databaseUrl: database.url, folder });

    it("with another master key, and starts again with the right one", async () => {
      const path = join(folder, "master.key");
      const away = join(folder, "right.key");
      await rename(path, away);
      await writeFile(path, randomBytes(32).toString("base64"), { mode: 0o600 });
      expect(await refusal()).toMatch(/master key/i);
      await rename(away, path);
      await (await startService({ databaseUrl: database.url, folder })).stop();
    });

    it("without its master key, and makes no new one", async () => {
      await rm(join(folder, "master.key"));
      expect(await refusal()).toContain("IDENTITY_MASTER_KEY_FILE");
      expect(await refusal()).toContain("IDENTITY_MASTER_KEY_FILE");
    });

    it("with a master key that others may read", async () => {
      await chmod(join(folder, "master.key"), 0o644);
      expect(await refusal()).toContain("master.key");
    });

    it("on the database of a newer release, and leaves it as it is", async () => {
      await change(sql`insert into schema_migration (name, position) values ('9999-later', 9999)`);
      expect(await refusal()).toContain("migrated by a newer release, which also has 9999-later");
      await change(sql`delete from schema_migration where position = 9999`);
      await (await startService({ databaseUrl: database.url, folder })).stop();
    });

    async function change(statement: ReturnType<typeof sql>): Promise<void> {
      const open = openDatabase(database.url);
      await statement.execute(open.tables());
      await open.close();
    }
  });

describe("the service refuses to start on SQLite", () => {
  let folder: string;
  let data: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    data = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  });
  afterEach(async () => {
    await chmod(data, 0o700);
    await Promise.all([folder, data].map((path) => rm(path, { recursive: true, force: true })));
  });

  function refusal(): Promise<string> {
    const databaseUrl = `sqlite:${join(data, "identity.db")}`;
    return refusalOf({ databaseUrl, folder, through: AS_UNPRIVILEGED });
  }

  it("in a folder that it may not write to", async () => {
    await chmod(data, 0o500);
    expect(await refusal()).toContain("EACCES");
  });

  it("with a file that is no database", async () => {
    await writeFile(join(data, "identity.db"), "This is no database. ".repeat(1000));
    expect(await refusal()).toContain("not a database");
  });
});

describe("the service refuses to start on PostgreSQL", () => {
  it("where it may only read", async () => {
    const database = await postgresDatabases.create();
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const readOnly = database.url.replace("-c%20", "-c%20default_transaction_read_only=on%20-c%20");
    expect(readOnly).not.toBe(database.url);
    expect(await refusalOf({ databaseUrl: readOnly, folder })).toContain("read-only transaction");
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });
});
