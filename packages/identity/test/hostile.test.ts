import { sqliteDatabases } from "./databases.js";
import { hostileContract } from "./hostile-contract.js";

hostileContract(sqliteDatabases);
