/** Databases of a test's own: the same test runs on each kind. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A kind of database that tests run on. */
export interface TestDatabases {
  readonly name: string;
  /** An empty database, that nobody else uses. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** What `openDatabase` takes, as often as it likes. */
  readonly url: string;
  remove(): Promise<void>;
}

/** A file in a temporary folder. Those on PostgreSQL are in `test-system/postgres-databases.ts`. */
export const sqliteDatabases: TestDatabases = {
  name: "SQLite",
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    return {
      url: `sqlite:${join(folder, "identity.db")}`,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
