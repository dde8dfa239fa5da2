import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { runService } from "../service-process.js";
import { openstackContract } from "./openstack-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases])
  openstackContract(databases.name, () => runService(databases));
