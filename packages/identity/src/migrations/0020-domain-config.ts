/** The configuration of domains. */
import type { Migration } from "../platform/database/migrate.js";

export const domainConfig: Migration = {
  name: "0020-domain-config",
  async up({ schema }, types) {
    await schema
      .createTable("domain_config")
      .addColumn("domain_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("group_name", types.text, (column) => column.notNull())
      .addColumn("option_name", types.text, (column) => column.notNull())
      // JSON; `null` for a secret, which is sealed.
      .addColumn("value", types.text)
      .addColumn("sealed", types.bytes)
      .addPrimaryKeyConstraint("domain_config_pkey", ["domain_id", "group_name", "option_name"])
      .execute();
  },
};
