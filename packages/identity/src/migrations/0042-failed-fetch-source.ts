/** Failed downloads by the settings that name them: those of former settings are not shown. */
import type { Migration } from "../platform/database/migrate.js";

export const failedFetchSource: Migration = {
  name: "0042-failed-fetch-source",
  async up({ schema }, types) {
    await schema
      .alterTable("failed_fetch")
      // A digest. Empty for failures from before: those of the settings in use come again.
      .addColumn("source", types.text, (column) => column.notNull().defaultTo(""))
      .execute();
  },
};
