/** A Keystone's database, read in one consistent snapshot. */

/** A row of Keystone's database: every value as the database's text. */
export type SourceRow = Readonly<Record<string, string | null>>;

/** Rows that are read at a time. */
export const SOURCE_BATCH_ROWS = 250;

/** All queries see the same moment, and none can write. Names are quoted as in standard SQL. */
export interface KeystoneSource {
  /** The rows of a query, in memory only a batch at a time. One query after the other. */
  read(query: string): AsyncIterable<readonly SourceRow[]>;
  /** The schema that holds the tables, as an SQL expression. */
  readonly schemaName: string;
  close(): Promise<void>;
}

/** All rows of a query with few. */
export async function readAll(source: KeystoneSource, query: string): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const batch of source.read(query)) rows.push(...batch);
  return rows;
}
