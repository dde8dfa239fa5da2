import { sqliteDatabases } from "../databases.js";
import { providerChecksContract } from "./provider-checks-contract.js";

providerChecksContract(sqliteDatabases);
