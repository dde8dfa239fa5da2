/** The master key of a running service is replaced while users log in by all methods. All ways on both databases: test-rehearse. */
import { describe } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { testReplacement } from "./replaced-master-key.js";

describe("a master key replaced while users log in, on SQLite with 2 workers", () => {
  testReplacement({ databases: sqliteDatabases, workers: 2, ways: ["rename"] });
});

describe("a master key replaced while users log in, on PostgreSQL with 1 worker", () => {
  testReplacement({ databases: postgresDatabases, workers: 1, ways: ["SIGHUP"] });
});
