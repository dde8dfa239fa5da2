import { sqliteDatabases } from "../../databases.js";
import { browserLoginContract } from "./browser-login-contract.js";

browserLoginContract(sqliteDatabases);
