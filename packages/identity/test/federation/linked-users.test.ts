import { sqliteDatabases } from "../databases.js";
import { linkedUsersContract } from "./linked-users-contract.js";

linkedUsersContract(sqliteDatabases);
