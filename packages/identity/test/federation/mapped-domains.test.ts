import { sqliteDatabases } from "../databases.js";
import { mappedDomainsContract } from "./mapped-domains-contract.js";

mappedDomainsContract(sqliteDatabases);
