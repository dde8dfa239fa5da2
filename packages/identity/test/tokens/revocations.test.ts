import { sqliteDatabases } from "../databases.js";
import { revocationsContract } from "./revocations-contract.js";

revocationsContract(sqliteDatabases);
