import { sqliteDatabases } from "../../../test/databases.js";
import { postgresDatabases } from "../../postgres-databases.js";
import { samlServiceContract } from "./saml-service-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases]) samlServiceContract(databases);
