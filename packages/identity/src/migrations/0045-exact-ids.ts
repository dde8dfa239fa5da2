/** Whether a user's id at a provider is exact: release 0.2.0 rounded numbers of 2^53 or more, and made one user of several. */
import type { Migration } from "../platform/database/migrate.js";

export const exactIds: Migration = {
  name: "0045-exact-ids",
  async up({ schema }, types) {
    // `null` for identities that release 0.2.0 has stored, which runs next to this one for a while.
    await schema.alterTable("federated_user").addColumn("is_exact", types.boolean).execute();
  },
};
