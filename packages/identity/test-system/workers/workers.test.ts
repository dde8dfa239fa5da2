import { workersContract } from "../../test/workers/workers-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

workersContract(postgresDatabases);
