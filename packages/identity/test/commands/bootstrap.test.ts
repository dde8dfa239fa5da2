import { sqliteDatabases } from "../databases.js";
import { bootstrapContract } from "./bootstrap-contract.js";

bootstrapContract(sqliteDatabases);
