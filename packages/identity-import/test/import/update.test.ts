/** Updates in which values pass from one row to another, or rows here stand in the way. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ImportError } from "../../src/import/import-errors.js";
import { runImport, type ImportOptions, type ImportResult } from "../../src/import/import-run.js";
import type { Clock } from "../../../identity/src/platform/clock.js";
import type { Database } from "../../../identity/src/platform/database/database.js";
import { openDatabase } from "../../../identity/src/platform/database/open-database.js";
import { toMasterKey } from "../../../identity/src/platform/secrets/sealing.js";
import { databases, type TestDatabase } from "../../../identity/test/databases.js";
import { migratedDatabase } from "../../../identity/test/migrated-databases.js";
import { fakeKeystone, SMALL_CLOUD, user, type FakeKeystone } from "./fake-keystone.js";

const FIRST: ImportOptions = { isDryRun: false, isUpdate: false };
const UPDATE: ImportOptions = { isDryRun: false, isUpdate: true };
const steady: Clock = { now: () => Date.UTC(2026, 10, 23) + performance.now() };

let place: TestDatabase;
let database: Database;
let keystone: FakeKeystone;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
  keystone = fakeKeystone(SMALL_CLOUD);
  await imported(FIRST);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

function imported(options = UPDATE, clock = steady): Promise<ImportResult> {
  return runImport(
    {
      source: keystone,
      database,
      masterKey: toMasterKey(Buffer.alloc(32, 7)),
      openBlob: undefined,
      defaultAuthorizationTtl: 0,
      usesDomainDrivers: false,
      clock,
      onProgress: () => {},
      afterRows: () => Promise.resolve(),
    },
    options,
  );
}

async function namesIn(table: string): Promise<Record<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`select id, name from ${sql.table(table)}`.execute(
    database.tables(),
  );
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}

async function run(statement: ReturnType<typeof sql>): Promise<void> {
  await statement.execute(database.tables());
}

const conflictsOf = ({ report }: ImportResult) =>
  report
    .problems()
    .filter(({ kind }) => kind === "conflict")
    .map(({ table, rows, reason }) => [table, rows, reason]);

const region = (id: string) => ({ id, description: "", parent_region_id: null, extra: "{}" });

describe(`an update of ${databases.name}`, () => {
  it("follows users who swapped their names", async () => {
    keystone.set({ user: [user("u1", "bob"), user("u2", "alice")] });
    const result = await imported();
    expect([result.outcome, conflictsOf(result)]).toEqual(["imported", []]);
    expect(await namesIn("user")).toEqual({ u1: "bob", u2: "alice" });
    expect((await imported()).report.counts.every(({ changed }) => changed === 0)).toBe(true);
  });

  it("follows names that pass round, to a new user too", async () => {
    keystone.set({ user: [user("u0", "alice"), user("u1", "bob"), user("u2", "carol")] });
    const { outcome, report } = await imported();
    expect(outcome).toBe("imported");
    expect(await namesIn("user")).toEqual({ u0: "alice", u1: "bob", u2: "carol" });
    expect(report.counts.find(({ table }) => table === "user")).toMatchObject({ imported: 1, changed: 2 });
  });

  it("is refused if the new name of a user belongs to one who was created here", async () => {
    await run(
      sql`insert into "user" (id, extra, domain_id, name, enabled, options, created_at, failed_logins, is_federated)
        values ('own', '{}', 'default', 'carol', true, '{}', 0, 0, false)`,
    );
    keystone.set({ user: [user("u1", "carol"), user("u2", "bob")] });
    const result = await imported();
    expect(result.outcome).toBe("conflicts");
    expect(conflictsOf(result)).toEqual([
      [
        "user",
        ["u1"],
        "changed there, and its name, or another value that has to be unique, is that of another row, which was created here: rename one",
      ],
    ]);
    expect(await namesIn("user")).toEqual({ own: "carol", u1: "alice", u2: "bob" });
  });

  it("leaves out a new user of a name that was created here", async () => {
    await run(
      sql`insert into "user" (id, extra, domain_id, name, enabled, options, created_at, failed_logins, is_federated)
        values ('own', '{}', 'default', 'carol', true, '{}', 0, 0, false)`,
    );
    keystone.set({ user: [user("u1", "alice"), user("u2", "bob"), user("u3", "carol")] });
    const { outcome, report } = await imported();
    expect(outcome).toBe("imported");
    expect(report.problems()).toMatchObject([{ kind: "left-out", table: "user", rows: ["u3"] }]);
    expect(await namesIn("user")).toEqual({ own: "carol", u1: "alice", u2: "bob" });
  });

  describe("in which a region was deleted that has an endpoint created here", () => {
    beforeEach(async () => {
      keystone.set({ region: [region("r1"), region("r2")] });
      await imported();
      await run(
        sql`insert into service (id, extra, type, name, enabled) values ('s', '{}', 'image', 'glance', true)`,
      );
      await run(
        sql`insert into endpoint (id, extra, service_id, region_id, interface, url, enabled)
          values ('e', '{}', 's', 'r1', 'public', 'http://x', true)`,
      );
      keystone.set({ region: [] });
    });

    const regions = async () => {
      const { rows } = await sql<{ id: string }>`select id from region`.execute(database.tables());
      return rows.map(({ id }) => id);
    };

    it("is refused, and names the region", async () => {
      const result = await imported();
      expect(conflictsOf(result)).toEqual([
        [
          "region",
          ['["r1"]'],
          "deleted there, and used by rows that were created here: delete those, or use --prefer target",
        ],
      ]);
      expect((await regions()).toSorted()).toEqual(["r1", "r2"]);
    });

    it("keeps the region with the preference `target`, and deletes the other", async () => {
      expect((await imported({ ...UPDATE, prefer: "target" })).outcome).toBe("imported");
      expect(await regions()).toEqual(["r1"]);
    });
  });

  it("brings in more changes than are kept in memory", async () => {
    const tags = Array.from({ length: 20_100 }, (_, index) => ({ project_id: "p1", name: `tag-${index}` }));
    keystone.set({ project_tag: tags, user: [user("u1", "bob"), user("u2", "alice")] });
    const { report } = await imported();
    expect(report.counts.filter(({ table }) => table === "project_tag")).toMatchObject([
      { read: 20_100, imported: 20_100, deleted: 1 },
    ]);
    expect(await namesIn("user")).toEqual({ u1: "bob", u2: "alice" });
    keystone.set({ project_tag: tags.slice(0, 100) });
    const again = await imported();
    expect(again.report.counts.filter(({ deleted }) => deleted > 0)).toMatchObject([{ deleted: 20_000 }]);
  }, 60_000);

  it.each([
    ["forward", 3_600_000],
    ["back", -3_600_000],
  ])(
    "changes nothing if the clock is set %s meanwhile, which would end tokens early or late",
    async (way, jumpMs) => {
      keystone.set({ user: [user("u1", "zoe"), user("u2", "bob")] });
      let calls = 0;
      const jumping: Clock = { now: () => steady.now() + (calls++ < 2 ? 0 : jumpMs) };
      const failure = imported(UPDATE, jumping).catch((error: unknown) => error as ImportError);
      expect(await failure).toMatchObject({
        code: "import/clock",
        message: `The clock of this host was set 3600 s ${way} during the import: nothing was changed, and the import can be repeated`,
      });
      expect(await namesIn("user")).toEqual({ u1: "alice", u2: "bob" });
      expect((await imported()).outcome).toBe("imported");
    },
  );
});
