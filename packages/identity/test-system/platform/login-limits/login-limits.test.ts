import { loginLimitsContract } from "../../../test/platform/login-limits/login-limits-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

loginLimitsContract(postgresDatabases);
