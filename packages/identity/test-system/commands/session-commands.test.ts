import { sessionCommandsContract } from "../../test/commands/session-commands-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

sessionCommandsContract(postgresDatabases);
