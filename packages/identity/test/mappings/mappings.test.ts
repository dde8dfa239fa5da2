import { sqliteDatabases } from "../databases.js";
import { mappingContract } from "./mapping-contract.js";

mappingContract(sqliteDatabases);
