import { sqliteDatabases } from "../../databases.js";
import { samlAttacksContract } from "./saml-attacks-contract.js";

samlAttacksContract(sqliteDatabases);
