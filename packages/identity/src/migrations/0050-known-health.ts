/** What the console's overview tells without asking again: the last check of each protocol, and what each process can't do. */
import type { Migration } from "../platform/database/migrate.js";

export const knownHealth: Migration = {
  name: "0050-known-health",
  async up({ schema }, types) {
    // JSON, as the other.
    await schema.alterTable("protocol").addColumn("last_check", types.text).execute();
    await schema.alterTable("replica").addColumn("impairments", types.text).execute();
  },
};
