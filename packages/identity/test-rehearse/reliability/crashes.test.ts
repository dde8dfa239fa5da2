import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { crashesContract } from "../../test-system/reliability/crashes-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases]) crashesContract(databases, 40);
