import { sqliteDatabases } from "../databases.js";
import { workersContract } from "./workers-contract.js";

workersContract(sqliteDatabases);
