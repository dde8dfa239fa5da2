import { identityProviderUpgradeContract } from "../../test/identity-providers/upgrade-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

identityProviderUpgradeContract(postgresDatabases);
