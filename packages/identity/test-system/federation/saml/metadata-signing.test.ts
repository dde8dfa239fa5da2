import { metadataSigningContract } from "../../../test/federation/saml/metadata-signing-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

metadataSigningContract(postgresDatabases);
