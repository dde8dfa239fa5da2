import { sqliteDatabases } from "../databases.js";
import { endpointContract } from "./endpoint-contract.js";

endpointContract(sqliteDatabases);
