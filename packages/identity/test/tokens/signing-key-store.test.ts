import { sqliteDatabases } from "../databases.js";
import { signingKeyStoreContract } from "./signing-key-store-contract.js";

signingKeyStoreContract(sqliteDatabases);
