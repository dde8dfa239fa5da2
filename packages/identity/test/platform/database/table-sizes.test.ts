/** The statements of docs/identity/capacity.md for the sizes of tables. */
import { readFileSync } from "node:fs";

import { sql } from "kysely";
import { expect, it } from "vitest";

import { migrations } from "../../../src/migrations/migrations.js";
import { migrate } from "../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { databases } from "../../databases.js";

const PAGE = readFileSync(new URL("../../../../../docs/identity/capacity.md", import.meta.url), "utf8");

it("lists every table with its size", async () => {
  const [, statement = ""] = new RegExp(`^\`\`\`sql ${databases.name}\\n(.*?)^\`\`\``, "ms").exec(PAGE) ?? [];
  const place = await databases.create();
  const database = openDatabase(place.url);
  try {
    await migrate(database, migrations);
    const { rows } = await sql
      .raw<{ name: string; bytes: number }>(statement)
      .execute(database.tables<Record<string, object>>());
    const sizes = new Map(rows.map(({ name, bytes }) => [name, bytes]));
    for (const table of ["user", "assignment", "revocation_event", "limit"])
      expect(sizes.get(table)).toBeGreaterThan(0);
  } finally {
    await database.close();
    await place.remove();
  }
});
