import { limitContract } from "../../test/limits/limit-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

limitContract(postgresDatabases);
