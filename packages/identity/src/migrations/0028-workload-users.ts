/** When users of workloads last logged in: unused ones are deleted. */
import type { Migration } from "../platform/database/migrate.js";

export const workloadUsers: Migration = {
  name: "0028-workload-users",
  async up({ schema }, types) {
    // `null` for other users, who are not deleted.
    await schema.alterTable("federated_user").addColumn("last_login_at", types.moment).execute();
  },
};
