import { sqliteDatabases } from "../databases.js";
import { sessionCommandsContract } from "./session-commands-contract.js";

sessionCommandsContract(sqliteDatabases);
