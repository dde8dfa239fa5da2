import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { AS_ANYBODY } from "../service-process.js";
import { refusalOf, refusedStartsContract } from "./refused-starts-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases]) refusedStartsContract(databases);

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
    return refusalOf({ databaseUrl, folder, through: AS_ANYBODY });
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
