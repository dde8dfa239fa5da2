import { sqliteDatabases } from "../databases.js";
import { tokenEndsContract } from "./token-ends-contract.js";

tokenEndsContract(sqliteDatabases);
