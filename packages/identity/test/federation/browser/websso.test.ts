import { sqliteDatabases } from "../../databases.js";
import { webssoContract } from "./websso-contract.js";

webssoContract(sqliteDatabases);
