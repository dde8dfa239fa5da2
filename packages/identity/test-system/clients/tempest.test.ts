import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { runService } from "../service-process.js";
import { tempestContract, tempestListContract } from "./tempest-contract.js";

tempestListContract();
for (const databases of [sqliteDatabases, postgresDatabases])
  tempestContract(databases.name, () => runService(databases));
