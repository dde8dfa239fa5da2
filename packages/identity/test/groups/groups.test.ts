import { sqliteDatabases } from "../databases.js";
import { groupContract } from "./group-contract.js";

groupContract(sqliteDatabases);
