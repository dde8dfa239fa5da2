import { multiFactorContract } from "../../test/auth/multi-factor-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

multiFactorContract(postgresDatabases);
