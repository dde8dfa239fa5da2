/** Imported values by the rules of the API: what no request can store is changed or left out, and reported. */
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  listForeignDrivers,
  readDomainConfig,
} from "../../../identity/src/domain-config/domain-config-store.js";
import { runImport, type ImportResult } from "../../src/import/import-run.js";
import type { SourceRow } from "../../src/import/source/keystone-source.js";
import { formatWithoutZone } from "../../../identity/src/platform/clock.js";
import type { Database } from "../../../identity/src/platform/database/database.js";
import { openDatabase } from "../../../identity/src/platform/database/open-database.js";
import { toMasterKey } from "../../../identity/src/platform/secrets/sealing.js";
import { PROJECT_MEMBERS } from "../../../identity/src/projects/project-schema.js";
import { findUser } from "../../../identity/src/users/user-store.js";
import { databases, type TestDatabase } from "../../../identity/test/databases.js";
import { migratedDatabase } from "../../../identity/test/migrated-databases.js";
import { fakeKeystone, SMALL_CLOUD, user, type FakeTables } from "./fake-keystone.js";
import { REFUSED } from "./refused-rows.js";

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

function imported(tables: FakeTables, { usesDomainDrivers = false } = {}): Promise<ImportResult> {
  return runImport(
    {
      source: fakeKeystone({ ...SMALL_CLOUD, ...tables }),
      database,
      masterKey: toMasterKey(Buffer.alloc(32, 7)),
      openBlob: (text) => text,
      defaultAuthorizationTtl: 0,
      usesDomainDrivers,
      clock: { now: () => Date.UTC(2026, 10, 23) + performance.now() },
      onProgress: () => {},
      afterRows: () => Promise.resolve(),
    },
    { isDryRun: false, isUpdate: false },
  );
}

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
    database.tables(),
  );
  return rows;
}

const problemsOf = ({ report }: ImportResult) =>
  report
    .problems()
    .map(
      ({ kind, table, column, reason, rows }) => `${kind} ${table}.${column}: ${reason}: ${rows.join(", ")}`,
    );

const userWith = (more: SourceRow) => ({ user: [user("u1", "alice", more)] });

describe(`attributes that the API does not store, on ${databases.name}`, () => {
  it.each([
    "password",
    "original_password",
    "groups",
    "federated",
    "id",
    "name",
    "domain_id",
    "enabled",
    "links",
    "options",
    "default_project_id",
    "password_expires_at",
    "tenants",
    "domains",
    "extra",
    String.raw`pass\u0077ord`,
  ])("drops a user's member %s, and names it without its value", async (name) => {
    const result = await imported(userWith({ extra: `{"email": "a@b", "${name}": "hidden-value"}` }));
    expect((await findUser(database, "u1"))?.extra).toEqual({ email: "a@b" });
    const written = JSON.parse(`"${name}"`) as string;
    expect(problemsOf(result)).toContain(
      `note user.extra: the API does not store the member "${written}" as an attribute: it is dropped: u1`,
    );
    expect(JSON.stringify(problemsOf(result))).not.toContain("hidden-value");
  });

  it.each(PROJECT_MEMBERS)("drops a project's member %s", async (name) => {
    const project =
      SMALL_CLOUD["project"]?.map((row) => ({ ...row, extra: `{"${name}": 1, "own": 2}` })) ?? [];
    await imported({ project });
    for (const row of await rowsOf("project")) expect(JSON.parse(String(row["extra"]))).toEqual({ own: 2 });
  });

  it.each([
    [null, undefined],
    ["", undefined],
    ["null", undefined],
    ["{", "is not JSON: all attributes are dropped"],
    ["NaN", "is not JSON: all attributes are dropped"],
    ["[1]", "is not a JSON object: all attributes are dropped"],
    ['"text"', "is not a JSON object: all attributes are dropped"],
    ["7", "is not a JSON object: all attributes are dropped"],
    [`{"a": ${"[".repeat(200)}${"]".repeat(200)}}`, "is nested too deep: all attributes are dropped"],
    [
      '{"__proto__": {"admin": true}}',
      'the API does not store the member "__proto__" as an attribute: it is dropped',
    ],
    [
      '{"description": 7}',
      `the API refuses the member "description": is not of type 'string', 'null'; it is dropped`,
    ],
    [
      String.raw`{"note": "a\u0000b"}`,
      'the API refuses the member "note": contains the character U+0000; it is dropped',
    ],
  ])("reads %j as no attributes, and keeps the user", async (extra, reason) => {
    const result = await imported(userWith({ extra }));
    expect((await findUser(database, "u1"))?.extra).toEqual({});
    const notes = problemsOf(result).filter((line) => line.includes("user.extra"));
    expect(notes).toEqual(reason === undefined ? [] : [`note user.extra: ${reason}: u1`]);
  });

  it("stores only what is JSON of an object without the API's own members, whatever the text", async () => {
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .dictionary(fc.constantFrom("password", "a", "links"), fc.jsonValue())
        .map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 30 }), async (extras) => {
        await sql`delete from project`.execute(database.tables());
        await sql`delete from role`.execute(database.tables());
        const result = await imported({
          user: extras.map((extra, index) => user(`u${index}`, `name ${index}`, { extra })),
          password: [],
          assignment: [],
        });
        const rows = await rowsOf("user");
        expect(rows).toHaveLength(extras.length);
        for (const row of rows) {
          const value = JSON.parse(String(row["extra"])) as object;
          expect(Object.keys(value).filter((name) => name === "password" || name === "links")).toEqual([]);
          expect(Array.isArray(value)).toBe(false);
        }
        for (const { read, imported: kept, leftOut } of result.report.counts)
          expect(kept + leftOut).toBe(read);
      }),
      { numRuns: 15 },
    );
  });
});

describe(`flags as Keystone reads them, on ${databases.name}`, () => {
  it.each([
    [null, false],
    ["0", false],
    ["1", true],
    ["2", true],
    ["-1", true],
    ["f", false],
    ["t", true],
    ["", false],
    ["yes", false],
  ])("takes %j of a user as %j", async (enabled, expected) => {
    const result = await imported(userWith({ enabled }));
    expect((await findUser(database, "u1"))?.enabled).toBe(expected);
    expect(problemsOf(result).some((line) => line.includes("user.enabled"))).toBe(enabled === null);
  });

  it.each([
    ["1003", '"yes"', { lock_password: true }],
    ["1002", "0", { ignore_lockout_failure_attempts: false }],
    ["MFAE", "{", {}],
    [
      "MFAR",
      '[["password", "totp"], "x", [], [7, "password"]]',
      { multi_factor_auth_rules: [["password", "totp"], ["password"]] },
    ],
    ["MFAR", '"text"', {}],
    ["IMMU", "true", {}],
  ])("reads option %s with the value %s", async (id, value, expected) => {
    const result = await imported(userWith({ option_id: id, option_value: value }));
    expect((await findUser(database, "u1"))?.options).toEqual(expected);
    expect(problemsOf(result).some((line) => line.includes("user.option_"))).toBe(true);
  });
});

describe(`values that the API refuses, on ${databases.name}`, () => {
  it.each(REFUSED)("of %s %j: %s", async (table, row, line) => {
    const result = await imported({ [table]: [...(SMALL_CLOUD[table] ?? []), row] });
    expect(problemsOf(result)).toContain(line);
    for (const { read, imported: kept, leftOut } of result.report.counts) expect(kept + leftOut).toBe(read);
  });

  it("seals a domain's password that Keystone has among the options it shows", async () => {
    await imported({
      whitelisted_config: [
        { domain_id: "default", group: "ldap", option: "password", value: '"bind-secret"' },
      ],
    });
    const [row] = await rowsOf("domain_config");
    expect(row).toMatchObject({ option_name: "password", value: null });
    expect(String(row?.["sealed"])).not.toContain("bind-secret");
  });

  it.each([
    [false, []],
    [true, ["default"]],
  ])("follows Keystone's flags for a domain's stored driver: %j", async (usesDomainDrivers, expected) => {
    const driver = { domain_id: "default", group: "identity", option: "driver", value: '"ldap"' };
    await imported({ whitelisted_config: [driver] }, { usesDomainDrivers });
    expect([...(await listForeignDrivers(database)).keys()]).toEqual(expected);
    expect(await readDomainConfig(database, "default")).toEqual({ identity: { driver: "ldap" } });
  });

  it("keeps the microseconds of a password's expiry", async () => {
    const password = { ...SMALL_CLOUD["password"]?.[0], expires_at_int: "4070908800123456" };
    await imported({ password: [password] });
    const found = await findUser(database, "u1");
    expect(formatWithoutZone(found?.passwordExpiresAt ?? 0)).toBe("2099-01-01T00:00:00.123456");
    expect(await rowsOf("user_password")).toMatchObject([
      {
        created_at: 1_795_326_634_052,
        created_micros: 410,
        expires_at: 4_070_908_800_123,
        expires_micros: 456,
      },
    ]);
  });

  it("names a row that the database rejects, and imports the others", async () => {
    const token = {
      id: "t",
      access_secret: "s",
      authorizing_user_id: "u1",
      project_id: "p1",
      role_ids: "[]",
      consumer_id: "c",
      expires_at: null,
    };
    const consumer = { id: "c", description: null, secret: "s", extra: "{}" };
    const result = await imported({ consumer: [consumer], access_token: [token, { ...token, id: "t" }] });
    expect(problemsOf(result)).toContain(
      "left-out access_token.*: its name, or another value that has to be unique, is that of another row: t",
    );
    expect(await rowsOf("oauth1_token")).toHaveLength(1);
  });
});
