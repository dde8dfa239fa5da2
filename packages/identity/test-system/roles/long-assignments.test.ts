import { longAssignmentContract } from "../../test/assignments/long-assignment-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

longAssignmentContract(postgresDatabases);
