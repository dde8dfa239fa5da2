import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { crashesContract } from "./crashes-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases]) crashesContract(databases);
