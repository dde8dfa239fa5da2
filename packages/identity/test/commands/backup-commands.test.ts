import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { commandLine, freePort } from "../command-line.js";
import { openSqliteFile } from "../../src/platform/database/sqlite/sqlite-library.js";

const { folder, start, finish } = commandLine();

/** The database, a copy of it, and what the copy of a release would be called that is newer. */
let database: string;
let copy: string;
beforeEach(() => {
  database = join(folder(), ".local/share/hamkit-identity/identity.db");
  copy = join(folder(), "copy.db");
});

/** Runs SQL in a process of its own, because libsql doesn't let go of a file at once. */
function sql(path: string, statement: string): string {
  const script = `
    const database = new (require("libsql"))(process.argv[1]);
    const statement = database.prepare(process.argv[2]);
    process.stdout.write(statement.reader ? JSON.stringify(statement.raw().all()) : String(statement.run().changes));`;
  const options = { cwd: import.meta.dirname, encoding: "utf8" } as const;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--eval", script, path, statement],
    options,
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const ADD = (id: number) =>
  `insert into revocation_event (id, issued_before, revoked_at) values ('${id}', 1, ${Date.now()})`;
const COUNT = "select count(*) from revocation_event";

describe("hamkit-identity backup", () => {
  it("copies the database while the service runs and another process writes", async () => {
    const port = await freePort();
    const service = start(["serve"], { IDENTITY_PORT: String(port) });
    await expect.poll(service.output, { timeout: 10_000 }).toContain('"msg":"serving"');
    const before = Number(JSON.parse(sql(database, COUNT)));
    sql(database, ADD(77));
    const writer = openSqliteFile(database);
    writer.exec("begin immediate");
    writer.exec(ADD(78));
    expect(await finish(["backup", copy])).toMatchObject({ exit: 0, errors: "" });
    writer.exec("commit");
    writer.close();
    expect(Number(JSON.parse(sql(copy, COUNT)))).toBe(before + 1);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(readdirSync(folder()).filter((name) => name.includes("copy"))).toEqual(["copy.db"]);
  });

  it("never takes the place of a file", async () => {
    await finish(["migrate"]);
    writeFileSync(copy, "mine");
    expect(await finish(["backup", copy])).toMatchObject({
      exit: 1,
      errors: `hamkit-identity: ${copy} already exists\n`,
    });
    expect(readFileSync(copy, "utf8")).toBe("mine");
  });

  it("names the tool for PostgreSQL, and reports a missing database", async () => {
    const env = { IDENTITY_DATABASE_URL: "postgres://127.0.0.1:1/x" };
    expect(await finish(["backup", copy], env)).toMatchObject({
      exit: 2,
      errors: "hamkit-identity: IDENTITY_DATABASE_URL: is not SQLite: use pg_dump for PostgreSQL\n",
    });
    expect((await finish(["backup", copy])).errors).toBe(
      `hamkit-identity: File ${database} does not exist\n`,
    );
    expect(existsSync(copy)).toBe(false);
  });
});

describe("hamkit-identity restore", () => {
  beforeEach(async () => {
    await finish(["migrate"]);
    sql(database, ADD(1));
    await finish(["backup", copy]);
  });

  it("replaces the database by the copy, and keeps the old one", async () => {
    sql(database, ADD(2));
    const restored = await finish(["restore", copy]);
    expect(restored).toMatchObject({ exit: 0, errors: "" });
    expect(sql(database, COUNT)).toBe("[[1]]");
    expect(statSync(database).mode & 0o777).toBe(0o600);
    const former = /The former database was moved to (.*)\.\n$/.exec(restored.output)?.[1] ?? "";
    expect(sql(former, COUNT)).toBe("[[2]]");
  });

  it("makes a database where there is none", async () => {
    const env = { IDENTITY_DATABASE_URL: `sqlite:${join(folder(), "other.db")}` };
    writeFileSync(join(folder(), "other.db-wal"), "left behind by a database that was deleted");
    expect(await finish(["restore", copy], env)).toMatchObject({ exit: 0 });
    expect(existsSync(join(folder(), "other.db-wal"))).toBe(false);
    expect(sql(join(folder(), "other.db"), COUNT)).toBe("[[1]]");
  });

  it("refuses while a process has the database open", async () => {
    const service = start(["serve"], { IDENTITY_PORT: String(await freePort()) });
    await expect.poll(service.output, { timeout: 10_000 }).toContain('"msg":"serving"');
    const refused = await finish(["restore", copy]);
    expect(refused.exit).toBe(1);
    expect(refused.errors).toContain("identity.db is in use, or not a database: stop the service first");
    service.child.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(await finish(["restore", copy])).toMatchObject({ exit: 0 });
  });

  it.each([
    [
      "of a newer release",
      "insert into schema_migration values ('9999-next', 99)",
      "was migrated by a newer release (9999-next)",
    ],
    ["of something else", "drop table schema_migration", "is not a database of this service"],
  ])("refuses a copy %s", async (_name, statement, reason) => {
    sql(copy, statement);
    expect(await finish(["restore", copy])).toMatchObject({
      exit: 1,
      errors: `hamkit-identity: ${copy} ${reason}\n`,
    });
    expectUntouched();
  });

  it("refuses half a file", async () => {
    const whole = readFileSync(copy);
    const half = join(folder(), "half.db");
    writeFileSync(half, whole.subarray(0, Math.floor(whole.length / 2)));
    const refused = await finish(["restore", half]);
    expect(refused.exit).toBe(1);
    expect(refused.errors).toContain("half.db can't be copied as a database");
    expectUntouched();
  });

  function expectUntouched(): void {
    expect(sql(database, COUNT)).toBe("[[1]]");
    const others = readdirSync(dirname(database)).filter(
      (name) => !/^(identity\.db(-wal|-shm)?|master\.key)$/.test(name),
    );
    expect(others).toEqual([]);
  }
});
