/** Documents of many services that are drawn at random, on both databases. */
import { describe } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { documentContract } from "../../test/federation-document/document-contract.js";

describe.each([sqliteDatabases, postgresDatabases])("documents on $name", (databases) => {
  documentContract(databases, { runs: 100 });
});
