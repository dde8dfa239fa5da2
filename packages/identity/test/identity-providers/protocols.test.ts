import { sqliteDatabases } from "../databases.js";
import { protocolContract } from "./protocol-contract.js";

protocolContract(sqliteDatabases);
