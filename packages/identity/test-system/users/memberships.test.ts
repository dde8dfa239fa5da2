import { membershipContract } from "../../test/users/membership-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

membershipContract(postgresDatabases);
