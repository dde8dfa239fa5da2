import { sqliteDatabases } from "../databases.js";
import { metadataSigningContract } from "./metadata-signing-contract.js";

metadataSigningContract(sqliteDatabases);
