import { sqliteDatabases } from "../databases.js";
import { passwordLoginContract } from "./password-login-contract.js";

passwordLoginContract(sqliteDatabases);
