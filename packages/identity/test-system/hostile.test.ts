import { hostileContract } from "../test/hostile-contract.js";
import { postgresDatabases } from "./postgres-databases.js";

hostileContract(postgresDatabases);
