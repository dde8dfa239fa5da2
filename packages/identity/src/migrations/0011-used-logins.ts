/** What is known of logins that go on elsewhere is carried by whoever has begun them: kept is only what was used. */
import type { Migration } from "../platform/database/migrations.js";

export const usedLogins: Migration = {
  name: "0011-used-logins",
  async up({ schema }) {
    await schema.alterTable("login_request").dropColumn("data").execute();
  },
};
