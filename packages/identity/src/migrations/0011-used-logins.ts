/** The state of pending logins moves to the client; the table keeps only used ids. */
import type { Migration } from "../platform/database/migrations.js";

export const usedLogins: Migration = {
  name: "0011-used-logins",
  async up({ schema }) {
    await schema.alterTable("login_request").dropColumn("data").execute();
  },
};
