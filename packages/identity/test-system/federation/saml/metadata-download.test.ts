import { metadataDownloadContract } from "../../../test/federation/saml/metadata-download-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

metadataDownloadContract(postgresDatabases);
