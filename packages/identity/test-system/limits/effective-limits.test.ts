import { effectiveLimitContract } from "../../test/limits/effective-limit-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

effectiveLimitContract(postgresDatabases);
