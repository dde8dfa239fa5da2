import { signingKeyStoreContract } from "../../test/tokens/signing-key-store-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

signingKeyStoreContract(postgresDatabases);
