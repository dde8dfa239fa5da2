/** What the doctor finds about connections to PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../src/config.js";
import { examinePostgres } from "../../../src/doctor/postgres-checks.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";

describe("the doctor on PostgreSQL", () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await postgresDatabases.create();
    database = openDatabase(place.url);
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  async function findingsAt(databaseUrl: string, on = database): Promise<string[]> {
    const config = readConfig({ IDENTITY_DATABASE_URL: databaseUrl, HOME: "/nowhere" });
    return (await examinePostgres(on, config.database)).map(({ state, text }) => `${state}: ${text}`);
  }

  it.each([
    ["postgres://u@127.0.0.1/db", []],
    ["postgres:///db?host=/var/run/postgresql", []],
    [
      "postgres://u@db.example.org/db?sslmode=verify-full",
      ["ok: PostgreSQL is verified by sslmode=verify-full"],
    ],
    [
      "postgres://u@db.example.org/db",
      [expect.stringContaining("warning: connections to PostgreSQL may be unencrypted")],
    ],
    [
      "postgres://u@127.0.0.1.example.org/db?sslmode=require",
      [expect.stringContaining("warning: the server is not verified")],
    ],
    [
      "postgres://u@127.0.0.1,[::1]/db",
      [expect.stringContaining("warning: PostgreSQL replicates asynchronously")],
    ],
  ])("finds at %s", async (url, findings) => {
    expect(await findingsAt(url)).toEqual(findings);
  });

  it.each([
    ["synchronous_commit=off", "postgres://u@127.0.0.1/db", "warning: synchronous_commit is off"],
    [
      "synchronous_commit=local",
      "postgres://u@127.0.0.1,[::1]/db",
      "warning: PostgreSQL replicates asynchronously",
    ],
  ])("finds %s", async (setting, url, finding) => {
    const other = openDatabase(`${place.url}%20-c%20${setting}`);
    try {
      expect(await findingsAt(url, other)).toEqual([expect.stringContaining(finding)]);
    } finally {
      await other.close();
    }
  });
});
