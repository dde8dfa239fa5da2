import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { recordedRequestsContract, rulesContract } from "./recorded-requests-contract.js";

rulesContract();
for (const databases of [sqliteDatabases, postgresDatabases]) recordedRequestsContract(databases);
