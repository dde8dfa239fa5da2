import { sqliteDatabases } from "../databases.js";
import { longAssignmentContract } from "./long-assignment-contract.js";

longAssignmentContract(sqliteDatabases);
