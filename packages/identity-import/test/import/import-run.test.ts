import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { runImport, type ImportOptions, type ImportResult } from "../../src/import/import-run.js";
import { writeReport } from "../../src/import/report/import-report.js";
import type { Database } from "../../../identity/src/platform/database/database.js";
import { openDatabase } from "../../../identity/src/platform/database/open-database.js";
import { toMasterKey, unsealSecret } from "../../../identity/src/platform/secrets/sealing.js";
import { findProject } from "../../../identity/src/projects/project-store.js";
import { findUser } from "../../../identity/src/users/user-store.js";
import { databases, type TestDatabase } from "../../../identity/test/databases.js";
import { migratedDatabase } from "../../../identity/test/migrated-databases.js";
import { assignment, fakeKeystone, SMALL_CLOUD, user, type FakeKeystone } from "./fake-keystone.js";

const masterKey = toMasterKey(Buffer.alloc(32, 7));
const FIRST: ImportOptions = { isDryRun: false, isUpdate: false };
const UPDATE: ImportOptions = { isDryRun: false, isUpdate: true };

let place: TestDatabase;
let database: Database;
let keystone: FakeKeystone;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
  keystone = fakeKeystone(SMALL_CLOUD);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

function imported(
  options = FIRST,
  more: { readonly afterRows?: () => Promise<void> } = {},
): Promise<ImportResult> {
  return runImport(
    {
      source: keystone,
      database,
      masterKey,
      openBlob: (text) => Buffer.from(text, "base64").toString(),
      defaultAuthorizationTtl: 0,
      usesDomainDrivers: false,
      clock: { now: () => Date.UTC(2026, 10, 23) + performance.now() },
      onProgress: () => {},
      afterRows: () => Promise.resolve(),
      ...more,
    },
    options,
  );
}

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
    database.tables(),
  );
  return rows;
}

async function run(statement: ReturnType<typeof sql>): Promise<void> {
  await statement.execute(database.tables());
}

const problemsOf = ({ report }: ImportResult) =>
  report
    .problems()
    .map(({ kind, table, column, reason, rows }) => [kind, `${table}.${column}`, reason, rows]);

describe(`the first import, into ${databases.name}`, () => {
  it("keeps ids, attributes, options, tags and dates", async () => {
    expect((await imported()).outcome).toBe("imported");
    expect(await findProject(database, "p1")).toEqual({
      id: "p1",
      name: "web",
      domainId: "default",
      parentId: "default",
      isDomain: false,
      enabled: true,
      description: "",
      options: { immutable: true },
      extra: { cost_center: "CC-42" },
      tags: ["prod"],
    });
    expect(await findUser(database, "u1")).toMatchObject({
      name: "alice",
      createdAt: Date.UTC(2026, 10, 22, 5, 50, 34),
      lastActiveAt: Date.UTC(2026, 10, 22),
    });
    expect(await rowsOf("user_password")).toMatchObject([{ user_id: "u1", created_at: 1_795_326_634_052 }]);
    expect(await rowsOf("assignment")).toHaveLength(2);
  });

  it("recreates the indexes of assignments", async () => {
    const indexes = () =>
      database.kind === "sqlite"
        ? sql<{
            name: string;
          }>`select name from sqlite_master where tbl_name = 'assignment' and type = 'index' order by name`
        : sql<{
            name: string;
          }>`select indexname as name from pg_indexes where schemaname = current_schema() and tablename = 'assignment' order by 1`;
    const before = await indexes().execute(database.tables());
    await imported();
    expect(before.rows).toHaveLength(6);
    expect((await indexes().execute(database.tables())).rows).toEqual(before.rows);
  });

  it("keeps assignments of actors that have no row, and reports them", async () => {
    keystone.set({ assignment: [assignment("gone", { known_actor: null })] });
    const result = await imported();
    expect(await rowsOf("assignment")).toMatchObject([{ user_id: "gone", target_id: "p1", role_id: "r1" }]);
    expect(problemsOf(result)).toContainEqual([
      "note",
      "assignment.actor_id",
      "the user has no row, because of a deletion or a directory: the assignment is kept",
      ["UserProject/gone/p1/r1"],
    ]);
  });

  it("leaves out rows whose references do not exist, and what refers to them", async () => {
    keystone.set({
      project: [
        ...(SMALL_CLOUD["project"] ?? []),
        {
          ...SMALL_CLOUD["project"]?.[1],
          id: "p2",
          name: "lost",
          domain_id: "nowhere",
          option_id: null,
        },
      ],
      project_tag: [{ project_id: "p2", name: "prod" }],
    });
    const result = await imported();
    expect(problemsOf(result).filter(([kind]) => kind === "left-out")).toEqual([
      [
        "left-out",
        "project.domain_id",
        "refers to a row of project that is no domain, does not exist or is not imported",
        ['p2 ("nowhere")'],
      ],
      [
        "left-out",
        "project_tag.project_id",
        "refers to a row of project that does not exist or is not imported",
        ['p2/prod ("p2")'],
      ],
    ]);
    expect(await rowsOf("project_tag")).toEqual([]);
  });

  it("follows references that MariaDB finds in another case", async () => {
    keystone.set({ assignment: [assignment("u1", { role_id: "R1" })] });
    await imported();
    expect(await rowsOf("assignment")).toMatchObject([{ role_id: "r1" }]);
  });

  it("reports names that collide, and goes on", async () => {
    keystone.set({
      user: [
        user("u1", "alice"),
        user("u2", "bob"),
        user("u3", "alice", { local_name: null, nonlocal_name: "alice" }),
      ],
    });
    const result = await imported();
    expect(problemsOf(result)).toContainEqual([
      "left-out",
      "user.*",
      "its name, or another value that has to be unique, is that of another row",
      ["u3"],
    ]);
    expect((await rowsOf("user")).map(({ id }) => id)).toEqual(["u1", "u2"]);
  });

  it("changes nothing in a dry run", async () => {
    const result = await imported({ ...FIRST, isDryRun: true });
    expect(result.outcome).toBe("dry-run");
    expect(writeReport(result.report).join("\n")).toMatch(/^user +2 +2 +0$/m);
    expect(await rowsOf("project")).toEqual([]);
    expect(await rowsOf("imported_row")).toEqual([]);
  });

  it("changes nothing if it fails after the last row", async () => {
    const failure = imported(FIRST, { afterRows: () => Promise.reject(new Error("power cut")) });
    await expect(failure).rejects.toThrow("power cut");
    for (const table of ["project", "user", "assignment", "imported_row"])
      expect(await rowsOf(table)).toEqual([]);
  });

  it("needs an empty database", async () => {
    await imported();
    await expect(imported()).rejects.toThrow(
      "The table project has rows: the first import needs an empty database, in which serve and bootstrap have not run yet; use --update",
    );
  });

  it("seals credentials, and has no secret in the report", async () => {
    const blob = Buffer.from("JBSWY3DPEHPK3PXP").toString("base64");
    keystone.set({
      credential: [
        {
          id: "c1",
          user_id: "u1",
          project_id: null,
          type: "totp",
          extra: "{}",
          key_hash: "x",
          encrypted_blob: blob,
        },
      ],
      sensitive_config: [{ domain_id: "default", group: "ldap", option: "password", value: '"bind-secret' }],
      whitelisted_config: [{ domain_id: "default", group: "ldap", option: "user", value: '"cn=secret' }],
    });
    const result = await imported();
    const [stored] = (await rowsOf("credential")) as { sealed_blob: Buffer }[];
    const opened = unsealSecret(masterKey, stored?.sealed_blob ?? Buffer.alloc(0), "credential/c1/u1//totp");
    expect(opened.toString()).toBe("JBSWY3DPEHPK3PXP");
    const [secret] = (await rowsOf("domain_config")) as { value: unknown; sealed: Buffer }[];
    expect(secret?.value).toBeNull();
    expect(
      unsealSecret(
        masterKey,
        secret?.sealed ?? Buffer.alloc(0),
        "domain-config/default/ldap/password",
      ).toString(),
    ).toBe('"bind-secret');
    const text = JSON.stringify(problemsOf(result));
    expect(text).toContain("is not JSON");
    expect(text).not.toMatch(/secret|JBSWY3DP/);
  });

  it("leaves credentials out without Keystone's keys", async () => {
    keystone.set({
      credential: [
        {
          id: "c1",
          user_id: "u1",
          project_id: null,
          type: "totp",
          extra: "{}",
          key_hash: "x",
          encrypted_blob: "x",
        },
      ],
    });
    const deps = {
      source: keystone,
      database,
      masterKey,
      openBlob: undefined,
      defaultAuthorizationTtl: 0,
      usesDomainDrivers: false,
      clock: { now: () => performance.now() },
    };
    const { report } = await runImport(
      { ...deps, onProgress: () => {}, afterRows: () => Promise.resolve() },
      FIRST,
    );
    expect(report.problems()).toMatchObject([
      {
        kind: "left-out",
        table: "credential",
        reason: "Keystone's credential keys are needed: --credential-keys",
      },
    ]);
  });
});

describe(`an update of ${databases.name}`, () => {
  beforeEach(async () => {
    await imported();
  });

  it("needs the record of an import", async () => {
    await run(sql`delete from imported_row`);
    await expect(imported(UPDATE)).rejects.toThrow(
      "--update needs the record of an import into this database",
    );
  });

  it("brings in new, changed and deleted rows", async () => {
    keystone.set({
      user: [user("u1", "alice2"), user("u3", "carol")],
      assignment: [assignment("u1"), assignment("u3")],
    });
    const { outcome, report } = await imported(UPDATE);
    expect(outcome).toBe("imported");
    const users = (await rowsOf("user")).map(({ id, name }) => [id, name]);
    expect(new Map(users as [string, string][])).toEqual(
      new Map([
        ["u1", "alice2"],
        ["u3", "carol"],
      ]),
    );
    const actors = (await rowsOf("assignment")).map(({ user_id: id }) => id);
    expect(new Set(actors)).toEqual(new Set(["u1", "u3"]));
    expect(
      report.counts.filter(({ deleted }) => deleted > 0).map(({ table, deleted }) => [table, deleted]),
    ).toEqual([
      ["user", 1],
      ["assignment", 1],
    ]);
  });

  it("changes nothing where nothing has changed", async () => {
    const before = await rowsOf("user");
    const { report } = await imported(UPDATE);
    expect(
      report.counts.every(({ imported: added, changed, deleted }) => added + changed + deleted === 0),
    ).toBe(true);
    expect(await rowsOf("user")).toEqual(before);
  });

  it("gives a name to another row", async () => {
    keystone.set({ user: [user("u1", "alice"), user("u9", "bob")], assignment: [assignment("u1")] });
    expect((await imported(UPDATE)).outcome).toBe("imported");
    expect(await findUser(database, "u9")).toMatchObject({ name: "bob" });
  });

  it("keeps what was created here", async () => {
    await run(sql`insert into role (id, extra, name, options) values ('own', '{}', 'own', '{}')`);
    await imported(UPDATE);
    expect(new Set((await rowsOf("role")).map(({ id }) => id))).toEqual(new Set(["own", "r1"]));
  });

  it("is no conflict with logins, which change when a user was last active", async () => {
    await run(sql`update "user" set last_active_at = 1, failed_logins = 2 where id = 'u1'`);
    keystone.set({ user: [user("u1", "alice", { enabled: "0" }), user("u2", "bob")] });
    expect((await imported(UPDATE)).outcome).toBe("imported");
    expect(await findUser(database, "u1")).toMatchObject({ enabled: false, lastActiveAt: 1 });
  });

  describe("of rows that were changed there and here", () => {
    beforeEach(async () => {
      await run(sql`update "user" set name = 'here' where id = 'u1'`);
      await run(sql`update "user" set name = 'own' where id = 'u2'`);
      // Changed, and deleted.
      keystone.set({ user: [user("u1", "there")] });
    });

    it("changes nothing without a preference, and names them", async () => {
      const result = await imported(UPDATE);
      expect(result.outcome).toBe("conflicts");
      expect(problemsOf(result).filter(([kind]) => kind === "conflict")).toEqual([
        ["conflict", "user.*", "deleted there, and changed here", ['["u2"]']],
        ["conflict", "user.*", "changed there, and changed here", ['["u1"]']],
      ]);
      expect(await findUser(database, "u1")).toMatchObject({ name: "here" });
      expect(await findUser(database, "u2")).toMatchObject({ name: "own" });
    });

    it("takes Keystone's with the preference `source`", async () => {
      expect((await imported({ ...UPDATE, prefer: "source" })).outcome).toBe("imported");
      expect(await findUser(database, "u1")).toMatchObject({ name: "there" });
      expect(await findUser(database, "u2")).toBeUndefined();
    });

    it("keeps its own with the preference `target`, also in the next update", async () => {
      expect((await imported({ ...UPDATE, prefer: "target" })).outcome).toBe("imported");
      expect((await imported(UPDATE)).outcome).toBe("imported");
      expect(await findUser(database, "u1")).toMatchObject({ name: "here" });
      expect(await findUser(database, "u2")).toMatchObject({ name: "own" });
    });
  });
});
