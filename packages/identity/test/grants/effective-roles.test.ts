import { sqliteDatabases } from "../databases.js";
import { effectiveRoleContract } from "./effective-role-contract.js";

effectiveRoleContract(sqliteDatabases);
