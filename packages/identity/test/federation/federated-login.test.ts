import { sqliteDatabases } from "../databases.js";
import { federatedLoginContract } from "./federated-login-contract.js";

federatedLoginContract(sqliteDatabases);
