/** A PostgreSQL for the tests: the one that answers, or, where none does, one of their own. */
import { SERVER_IS_TEMPORARY, onServer } from "../test/databases.js";
import { startPostgres } from "./postgres-server.js";

/** For vitest, before all tests: what it returns ends the server again. */
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
