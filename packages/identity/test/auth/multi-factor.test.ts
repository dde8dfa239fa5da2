import { sqliteDatabases } from "../databases.js";
import { multiFactorContract } from "./multi-factor-contract.js";

multiFactorContract(sqliteDatabases);
