import { effectiveRoleContract } from "../../test/grants/effective-role-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

effectiveRoleContract(postgresDatabases);
