import { grantContract } from "../../test/grants/grant-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

grantContract(postgresDatabases);
