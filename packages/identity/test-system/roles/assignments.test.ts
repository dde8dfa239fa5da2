import { assignmentContract } from "../../test/assignments/assignment-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

assignmentContract(postgresDatabases);
