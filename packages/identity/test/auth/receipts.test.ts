import { sqliteDatabases } from "../databases.js";
import { receiptsContract } from "./receipts-contract.js";

receiptsContract(sqliteDatabases);
