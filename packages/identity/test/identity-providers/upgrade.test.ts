import { sqliteDatabases } from "../databases.js";
import { identityProviderUpgradeContract } from "./upgrade-contract.js";

identityProviderUpgradeContract(sqliteDatabases);
