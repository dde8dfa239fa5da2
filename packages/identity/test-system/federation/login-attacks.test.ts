import { loginAttacksContract } from "../../test/federation/login-attacks-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

loginAttacksContract(postgresDatabases);
