import { metadataDownloadContract } from "../../../test/federation/saml/metadata/metadata-download-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

metadataDownloadContract(postgresDatabases);
