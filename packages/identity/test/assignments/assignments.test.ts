import { sqliteDatabases } from "../databases.js";
import { assignmentContract } from "./assignment-contract.js";

assignmentContract(sqliteDatabases);
