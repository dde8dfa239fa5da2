import { sqliteDatabases } from "../databases.js";
import { registeredLimitContract } from "./registered-limit-contract.js";

registeredLimitContract(sqliteDatabases);
