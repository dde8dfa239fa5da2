/** When the provider of a protocol has to be read again. */
import type { Migration } from "../platform/database/migrate.js";

export const protocolRefresh: Migration = {
  name: "0027-protocol-refresh",
  async up({ schema }, types) {
    await schema
      .alterTable("protocol")
      .addColumn("refreshed_at", types.moment, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
