import { identityProviderContract } from "../../test/identity-providers/identity-provider-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

identityProviderContract(postgresDatabases);
