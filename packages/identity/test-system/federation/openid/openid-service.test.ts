import { sqliteDatabases } from "../../../test/databases.js";
import { postgresDatabases } from "../../postgres-databases.js";
import { openIdServiceContract } from "./openid-service-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases]) openIdServiceContract(databases);
