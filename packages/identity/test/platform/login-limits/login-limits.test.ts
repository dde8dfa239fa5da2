import { sqliteDatabases } from "../../databases.js";
import { loginLimitsContract } from "./login-limits-contract.js";

loginLimitsContract(sqliteDatabases);
