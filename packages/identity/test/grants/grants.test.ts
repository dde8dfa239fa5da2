import { sqliteDatabases } from "../databases.js";
import { grantContract } from "./grant-contract.js";

grantContract(sqliteDatabases);
