import { foreignUsersContract } from "../../test/federation/foreign-users-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

foreignUsersContract(postgresDatabases);
