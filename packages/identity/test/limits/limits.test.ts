import { sqliteDatabases } from "../databases.js";
import { limitContract } from "./limit-contract.js";

limitContract(sqliteDatabases);
