import { loginRequestsContract } from "../../test/federation/login-requests-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

loginRequestsContract(postgresDatabases);
