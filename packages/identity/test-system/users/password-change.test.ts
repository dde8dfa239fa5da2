import { passwordChangeContract } from "../../test/users/password-change-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

passwordChangeContract(postgresDatabases);
