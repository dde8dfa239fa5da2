import { linkedUsersContract } from "../../test/federation/linked-users-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

linkedUsersContract(postgresDatabases);
