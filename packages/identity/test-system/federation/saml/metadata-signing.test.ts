import { metadataSigningContract } from "../../../test/k2k/metadata-signing-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

metadataSigningContract(postgresDatabases);
