/** The master key of a running service is replaced in all ways, on both databases and with several workers. */
import { describe } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { testReplacement } from "../../test-system/reliability/replaced-master-key.js";

const WAYS = ["rename", "in place", "SIGHUP"] as const;

describe.each([
  { databases: sqliteDatabases, workers: 1, ways: WAYS, name: "SQLite" },
  { databases: sqliteDatabases, workers: 2, ways: WAYS, name: "SQLite" },
  { databases: postgresDatabases, workers: 1, ways: WAYS, name: "PostgreSQL" },
  { databases: postgresDatabases, workers: 2, ways: WAYS, name: "PostgreSQL" },
])("a master key replaced while users log in, on $name with $workers worker(s)", (each) => {
  testReplacement(each);
});
