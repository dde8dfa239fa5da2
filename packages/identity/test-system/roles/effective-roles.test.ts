import { effectiveRoleContract } from "../../test/roles/effective-role-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

effectiveRoleContract(postgresDatabases);
