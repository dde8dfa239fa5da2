import { sqliteDatabases } from "../databases.js";
import { samlKeysContract } from "./saml-keys-contract.js";

samlKeysContract(sqliteDatabases);
