import { userContract } from "../../test/users/user-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

userContract(postgresDatabases);
