/** The id of the master key in force, which seals every secret in the database. */
import type { Kysely } from "kysely";

import type { Migration } from "../platform/database/migrations.js";
import { sealedBy } from "../platform/secrets/sealing.js";

interface Tables {
  readonly signing_key: { number: number; sealed: Buffer };
  readonly master_key: { slot: number; key_id: string };
}

export const masterKey: Migration = {
  name: "0016-master-key",
  async up(tables, types) {
    await tables.schema
      .createTable("master_key")
      // One row: the slot is always 1.
      .addColumn("slot", types.integer, (column) => column.primaryKey())
      .addColumn("key_id", types.text, (column) => column.notNull())
      .execute();
    const known = tables as Kysely<Tables>;
    const newest = await known
      .selectFrom("signing_key")
      .select("sealed")
      .orderBy("number", "desc")
      .executeTakeFirst();
    const keyId = newest && sealedBy(newest.sealed);
    if (keyId !== undefined)
      await known.insertInto("master_key").values({ slot: 1, key_id: keyId }).execute();
  },
};
