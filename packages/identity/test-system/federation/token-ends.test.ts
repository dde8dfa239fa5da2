import { tokenEndsContract } from "../../test/federation/token-ends-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

tokenEndsContract(postgresDatabases);
