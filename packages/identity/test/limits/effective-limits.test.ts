import { sqliteDatabases } from "../databases.js";
import { effectiveLimitContract } from "./effective-limit-contract.js";

effectiveLimitContract(sqliteDatabases);
