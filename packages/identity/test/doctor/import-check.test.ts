/** What `doctor` reports after an import from a Keystone. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { examineImport } from "../../src/doctor/database-checks.js";
import { migrations } from "../../src/migrations/migrations.js";
import { beginImport, finishImport } from "../../src/passwords/unfinished-import-store.js";
import type { Database } from "../../src/platform/database/database.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { replaceImportedKeys } from "../../src/tokens/imported/imported-key-store.js";
import { dropImportedKeys } from "../../src/tokens/imported/imported-tokens.js";

let database: Database;
beforeEach(() => {
  database = openDatabase("sqlite::memory:");
});
afterEach(() => database.close());

it("reports imported keys with the end of their tokens, and an unfinished import, until they are gone", async () => {
  await migrate(database, migrations);
  expect(await examineImport(database)).toEqual([]);
  await beginImport(database, 1);
  await replaceImportedKeys(database, {
    sealed: Buffer.from("sealed"),
    authMethods: ["password"],
    lifetimeMs: 3_600_000,
    issuedBefore: Date.parse("2026-11-22T08:00:00Z"),
    position: 1,
    keptUntil: 1,
  });
  expect(await examineImport(database)).toEqual([
    { state: "warning", subject: "import", text: expect.stringContaining("import --finish") },
    {
      state: "warning",
      subject: "imported keys",
      text: expect.stringContaining("valid until 2026-11-22T09:00:00.000000Z at the latest"),
    },
  ]);
  await finishImport(database);
  await dropImportedKeys(database);
  expect(await examineImport(database)).toEqual([]);
});

it("works on databases of earlier releases", async () => {
  await migrate(database, migrations.slice(0, 23));
  expect(await examineImport(database)).toEqual([]);
});
