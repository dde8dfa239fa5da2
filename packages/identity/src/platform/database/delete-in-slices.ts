/** Deletes of any number of rows in slices: on SQLite no other statement runs during one. */
import type { Queries } from "./database.js";

/**
 * Repeats a statement that deletes at most `size` rows until it deletes fewer. Other requests run between two statements.
 *
 * @param deleteSome Resolves to the number of rows it deleted.
 */
export async function deleteInSlices(
  size: number,
  deleteSome: () => Promise<number | bigint>,
): Promise<void> {
  for (let deleted = size; deleted === size;) deleted = Number(await deleteSome());
}

/** Rows with an id of one statement, which also deletes or changes the rows that refer to them. */
const MAX_DELETED_ROWS = 100;

interface DomainTables {
  readonly table: { id: string; domain_id: string };
}

/** Deletes the rows of a domain in a table whose rows have an id. */
export function deleteOfDomain(queries: Queries, name: string, domainId: string): Promise<void> {
  const tables = queries.tables<DomainTables>();
  const table = name as "table";
  return deleteInSlices(MAX_DELETED_ROWS, async () => {
    const some = tables
      .selectFrom(table)
      .select("id")
      .where("domain_id", "=", domainId)
      .limit(MAX_DELETED_ROWS);
    return (await tables.deleteFrom(table).where("id", "in", some).executeTakeFirst()).numDeletedRows;
  });
}
