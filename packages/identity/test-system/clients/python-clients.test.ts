import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { runService } from "../service-process.js";
import { pythonClientsContract } from "./python-clients-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases])
  pythonClientsContract(databases.name, () => runService(databases));
