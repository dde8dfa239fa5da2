import { sqliteDatabases } from "../../../databases.js";
import { listContract } from "./list-contract.js";

listContract(sqliteDatabases);
