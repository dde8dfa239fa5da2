/** Authorized domains of identity providers; trims remote ids. */
import type { Kysely } from "kysely";

import type { Migration } from "../platform/database/migrations.js";

interface Tables {
  readonly identity_provider_remote_id: { remote_id: string };
}

export const authorizedDomains: Migration = {
  name: "0015-authorized-domains",
  async up(database, types) {
    // A JSON list of ids. Rows deleted with their domains would leave an empty list, as if unrestricted.
    await database.schema
      .alterTable("identity_provider")
      .addColumn("authorized_domains", types.text)
      .execute();
    await trimRemoteIds(database);
  },
};

/** Keeps ids whose trimmed form exists: a provider that lost its only remote id would accept any assertion. */
async function trimRemoteIds(schema: Kysely<unknown>): Promise<void> {
  const database = schema as Kysely<Tables>;
  const rows = await database.selectFrom("identity_provider_remote_id").select("remote_id").execute();
  const known = new Set(rows.map(({ remote_id }) => remote_id));
  for (const { remote_id: id } of rows) {
    const trimmed = id.trim();
    if (trimmed === id || trimmed === "" || known.has(trimmed)) continue;
    known.add(trimmed);
    await database
      .updateTable("identity_provider_remote_id")
      .set({ remote_id: trimmed })
      .where("remote_id", "=", id)
      .execute();
  }
}
