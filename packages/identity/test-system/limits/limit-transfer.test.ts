import { limitTransferContract } from "../../test/limits/limit-transfer-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

limitTransferContract(postgresDatabases);
