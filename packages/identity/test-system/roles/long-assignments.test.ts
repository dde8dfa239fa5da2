import { longAssignmentContract } from "../../test/roles/long-assignment-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

longAssignmentContract(postgresDatabases);
