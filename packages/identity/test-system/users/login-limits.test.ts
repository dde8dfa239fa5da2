import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { loginLimitsContract } from "./login-limits-contract.js";

loginLimitsContract(sqliteDatabases, { name: "two workers", services: 1, workers: 2 });
loginLimitsContract(postgresDatabases, { name: "two replicas", services: 2, workers: 1 });
