import { receiptsContract } from "../../test/auth/receipts-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

receiptsContract(postgresDatabases);
