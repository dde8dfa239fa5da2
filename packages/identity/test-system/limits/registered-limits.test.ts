import { registeredLimitContract } from "../../test/limits/registered-limit-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

registeredLimitContract(postgresDatabases);
