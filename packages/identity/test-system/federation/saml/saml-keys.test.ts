import { samlKeysContract } from "../../../test/saml/saml-keys-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

samlKeysContract(postgresDatabases);
