import { sqliteDatabases } from "../databases.js";
import { wrongClocksContract } from "./wrong-clocks-contract.js";

wrongClocksContract(sqliteDatabases);
