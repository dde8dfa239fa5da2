import { sqliteDatabases } from "../databases.js";
import { serviceProviderContract } from "./service-provider-contract.js";

serviceProviderContract(sqliteDatabases);
