import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { runService } from "../service-process.js";
import { recordedRequestsContract, SETTINGS } from "./recorded-requests-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases])
  recordedRequestsContract(databases.name, () => runService(databases, SETTINGS));
