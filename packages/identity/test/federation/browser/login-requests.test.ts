import { sqliteDatabases } from "../../databases.js";
import { loginRequestsContract } from "./login-requests-contract.js";

loginRequestsContract(sqliteDatabases);
