import { sqliteDatabases } from "../databases.js";
import { passwordChangeContract } from "./password-change-contract.js";

passwordChangeContract(sqliteDatabases);
