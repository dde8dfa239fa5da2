import { sqliteDatabases } from "../databases.js";
import { loginEdgesContract } from "./login-edges-contract.js";

loginEdgesContract(sqliteDatabases);
