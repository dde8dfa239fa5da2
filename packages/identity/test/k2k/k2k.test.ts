import { sqliteDatabases } from "../databases.js";
import { k2kContract } from "./k2k-contract.js";

k2kContract(sqliteDatabases);
