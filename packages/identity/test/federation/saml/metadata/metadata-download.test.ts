import { sqliteDatabases } from "../../../databases.js";
import { metadataDownloadContract } from "./metadata-download-contract.js";

metadataDownloadContract(sqliteDatabases);
