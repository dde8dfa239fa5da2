/** Lists of a domain are ordered by id: without these indexes each page sorts the whole domain. */
import type { Migration } from "../platform/database/migrate.js";

export const listOrder: Migration = {
  name: "0034-list-order",
  indexes: ["user", "group", "project"].map((table) => ({
    name: `${table}_order`,
    table,
    columns: ["domain_id", "id"],
  })),
  up: async () => {},
};
