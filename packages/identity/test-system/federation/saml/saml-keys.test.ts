import { samlKeysContract } from "../../../test/federation/saml/saml-keys-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

samlKeysContract(postgresDatabases);
