import { k2kContract } from "../../../test/federation/saml/k2k-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

k2kContract(postgresDatabases);
