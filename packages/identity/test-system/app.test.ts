import { appContract } from "../test/app-contract.js";
import { postgresDatabases } from "./postgres-databases.js";

appContract(postgresDatabases);
