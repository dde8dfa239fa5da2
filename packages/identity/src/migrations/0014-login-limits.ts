/** Login limits shared by processes: failed logins, and known pairs of account and network. */
import type { Migration } from "../platform/database/migrations.js";

export const loginLimits: Migration = {
  name: "0014-login-limits",
  async up({ schema }, types) {
    for (const table of ["login_failure", "known_login"]) {
      await schema
        .createTable(table)
        // A keyed hash of account, network or both.
        .addColumn("id", types.text, (column) => column.primaryKey())
        .addColumn("expires_at", types.moment, (column) => column.notNull())
        .addColumn("updated_at", types.moment, (column) => column.notNull())
        .execute();
      for (const column of ["expires_at", "updated_at"])
        await schema.createIndex(`${table}_${column}`).on(table).column(column).execute();
    }
  },
};
