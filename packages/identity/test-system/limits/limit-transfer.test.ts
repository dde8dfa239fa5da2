import { limitTransferContract } from "../../test/limits/transfer/limit-transfer-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

limitTransferContract(postgresDatabases);
