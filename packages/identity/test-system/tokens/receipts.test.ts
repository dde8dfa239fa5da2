import { receiptsContract } from "../../test/tokens/receipts-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

receiptsContract(postgresDatabases);
