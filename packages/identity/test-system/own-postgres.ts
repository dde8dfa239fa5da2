/** Starts a PostgreSQL server for the tests if none answers at `TEST_POSTGRES_URL`. */
import { SERVER_IS_TEMPORARY, onServer } from "../test/databases.js";
import { startPostgres } from "./postgres-server.js";

/** Vitest's global setup. @returns The teardown, if a server was started. */
export async function setup(): Promise<(() => void) | undefined> {
  try {
    await onServer("select 1");
    return undefined;
  } catch {
    const server = await startPostgres();
    process.env["TEST_POSTGRES_URL"] = server.url;
    process.env[SERVER_IS_TEMPORARY] = "yes";
    return () => server.remove();
  }
}
