import { sqliteDatabases } from "../databases.js";
import { forwardedAssertionContract } from "./forwarded-assertion-contract.js";

forwardedAssertionContract(sqliteDatabases);
