import { sqliteDatabases } from "../databases.js";
import { identityProviderContract } from "./identity-provider-contract.js";

identityProviderContract(sqliteDatabases);
