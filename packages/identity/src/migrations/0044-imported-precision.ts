/** What an import from a Keystone keeps: microseconds of expiry dates, and drivers of domains that the Keystone ignored. */
import type { Migration } from "../platform/database/migrate.js";

export const importedPrecision: Migration = {
  name: "0044-imported-precision",
  async up({ schema }, types) {
    // Microseconds behind the millisecond: 0 to 999. Null for times of this service, which are in milliseconds.
    for (const [table, column] of [
      ["user_password", "created_micros"],
      ["user_password", "expires_micros"],
      ["trust", "expires_micros"],
    ] as const)
      await schema.alterTable(table).addColumn(column, types.integer).execute();
    // Whether an option is stored and shown, but without effect.
    await schema.alterTable("domain_config").addColumn("is_ignored", types.boolean).execute();
  },
};
