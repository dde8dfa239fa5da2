import { assignmentContract } from "../../test/roles/assignment-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

assignmentContract(postgresDatabases);
