import { sqliteDatabases } from "../databases.js";
import { membershipContract } from "./membership-contract.js";

membershipContract(sqliteDatabases);
