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

/**
 * Deletes the rows of a domain in a table whose rows have an id.
 *
 * @param onDeleted Called before a row is deleted: deletes rows that refer to it in large numbers, in slices of their own.
 */
export function deleteOfDomain<Given extends Queries>(
  queries: Given,
  name: string,
  domainId: string,
  onDeleted: (queries: Given, id: string) => Promise<void> = async () => {},
): Promise<void> {
  const tables = queries.tables<DomainTables>();
  const table = name as "table";
  return deleteInSlices(MAX_DELETED_ROWS, async () => {
    const rows = await tables
      .selectFrom(table)
      .select("id")
      .where("domain_id", "=", domainId)
      .limit(MAX_DELETED_ROWS)
      .execute();
    if (rows.length === 0) return 0;
    for (const { id } of rows) await onDeleted(queries, id);
    const ids = rows.map(({ id }) => id);
    return (await tables.deleteFrom(table).where("id", "in", ids).executeTakeFirst()).numDeletedRows;
  });
}
