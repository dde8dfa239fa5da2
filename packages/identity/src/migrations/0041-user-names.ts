/**
 * Users of a domain by name are ordered by id, too: with the index on the names alone, SQLite reads the whole domain by the index that has
 * the order.
 */
import type { Migration } from "../platform/database/migrate.js";

export const userNameOrder: Migration = {
  name: "0041-user-names",
  indexes: [{ name: "user_name_order", table: "user", columns: ["domain_id", "name", "id"] }],
  up: async () => {},
};
