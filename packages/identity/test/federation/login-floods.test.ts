import { sqliteDatabases } from "../databases.js";
import { loginFloodsContract } from "./login-floods-contract.js";

loginFloodsContract(sqliteDatabases);
