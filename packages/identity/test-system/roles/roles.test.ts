import { roleContract } from "../../test/roles/role-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

roleContract(postgresDatabases);
