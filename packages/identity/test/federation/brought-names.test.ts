import { sqliteDatabases } from "../databases.js";
import { broughtNamesContract } from "./brought-names-contract.js";

broughtNamesContract(sqliteDatabases);
