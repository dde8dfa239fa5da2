/** What sessions of the console are shown by; empty in those that a former release began. */
import type { Migration } from "../platform/database/migrate.js";

export const sessionFacts: Migration = {
  name: "0048-session-facts",
  indexes: [{ name: "federated_session_user", table: "federated_session", columns: ["user_id"] }],
  async up({ schema }, types) {
    const columns = {
      // Of the login, in JSON.
      methods: types.text,
      // Of its tokens; empty while further factors are missing.
      audit_chain_id: types.text,
      // Of the last request, within some minutes.
      used_at: types.moment,
      user_agent: types.text,
      address: types.text,
    };
    for (const [name, type] of Object.entries(columns))
      await schema.alterTable("console_session").addColumn(name, type).execute();
  },
};
