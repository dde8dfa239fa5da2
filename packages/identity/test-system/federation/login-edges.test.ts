import { loginEdgesContract } from "../../test/federation/login-edges-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

loginEdgesContract(postgresDatabases);
