import { loginRequestsContract } from "../../test/federation/browser/login-requests-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

loginRequestsContract(postgresDatabases);
