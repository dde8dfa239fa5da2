import { bootstrapContract } from "../../test/commands/bootstrap-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

bootstrapContract(postgresDatabases);
