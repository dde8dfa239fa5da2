import { sqliteDatabases } from "../../databases.js";
import { limitTransferContract } from "./limit-transfer-contract.js";

limitTransferContract(sqliteDatabases);
