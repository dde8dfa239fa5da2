import { sqliteDatabases } from "../../../test/databases.js";
import { guidesContract } from "./guides-contract.js";

guidesContract(sqliteDatabases);
