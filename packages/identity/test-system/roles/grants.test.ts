import { grantContract } from "../../test/roles/grant-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

grantContract(postgresDatabases);
