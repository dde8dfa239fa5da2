import { sqliteDatabases } from "../databases.js";
import { regionContract } from "./region-contract.js";

regionContract(sqliteDatabases);
