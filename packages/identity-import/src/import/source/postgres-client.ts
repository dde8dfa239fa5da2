/** A connection to a Keystone's database on PostgreSQL, for an import or an export. */
import pg from "pg";

const CONNECT_MS = 10_000;

/**
 * Connects and runs statements. Every value is read as text: dates without the time zone of this process, and whole numbers of any
 * size. The error of a lost connection fails the query in progress.
 *
 * @throws The error of the connection or of a statement; then the connection is closed.
 */
export async function openPostgresClient(url: string, statements: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    types: { getTypeParser: () => (text: unknown) => text },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
