import { samlAttacksContract } from "../../../test/federation/saml/saml-attacks-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

samlAttacksContract(postgresDatabases);
