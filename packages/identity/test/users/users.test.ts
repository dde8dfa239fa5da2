import { sqliteDatabases } from "../databases.js";
import { userContract } from "./user-contract.js";

userContract(sqliteDatabases);
