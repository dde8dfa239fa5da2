import { multiFactorContract } from "../../test/tokens/multi-factor-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

multiFactorContract(postgresDatabases);
