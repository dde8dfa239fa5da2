/** All tests of tempest on SQLite; each change runs them on PostgreSQL. */
import { checkTempest } from "../../test-system/clients/tempest-contract.js";
import { tempestTests } from "../../test-system/clients/tempest.js";
import { sqliteDatabases } from "../../test/databases.js";

checkTempest("tempest", sqliteDatabases, await tempestTests());
