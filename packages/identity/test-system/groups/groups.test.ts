import { groupContract } from "../../test/groups/group-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

groupContract(postgresDatabases);
