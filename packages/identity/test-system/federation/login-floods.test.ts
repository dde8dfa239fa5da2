import { loginFloodsContract } from "../../test/federation/login-floods-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

loginFloodsContract(postgresDatabases);
