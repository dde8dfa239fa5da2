import { sqliteDatabases } from "../databases.js";
import { roleContract } from "./role-contract.js";

roleContract(sqliteDatabases);
