import { sqliteDatabases } from "../databases.js";
import { foreignUsersContract } from "./foreign-users-contract.js";

foreignUsersContract(sqliteDatabases);
