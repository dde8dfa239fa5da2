import { sqliteDatabases } from "../databases.js";
import { loginAttacksContract } from "./login-attacks-contract.js";

loginAttacksContract(sqliteDatabases);
