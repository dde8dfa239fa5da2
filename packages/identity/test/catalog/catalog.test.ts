import { sqliteDatabases } from "../databases.js";
import { catalogContract } from "./catalog-contract.js";

catalogContract(sqliteDatabases);
