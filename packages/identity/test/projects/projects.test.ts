import { sqliteDatabases } from "../databases.js";
import { domainContract } from "./domain-contract.js";
import { projectContract } from "./project-contract.js";
import { projectListContract } from "./project-list-contract.js";
import { tagContract } from "./tag-contract.js";

domainContract(sqliteDatabases);
projectContract(sqliteDatabases);
projectListContract(sqliteDatabases);
tagContract(sqliteDatabases);
