import { sqliteDatabases } from "../databases.js";
import { serviceContract } from "./service-contract.js";

serviceContract(sqliteDatabases);
