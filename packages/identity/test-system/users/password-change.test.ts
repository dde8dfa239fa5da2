import { passwordChangeContract } from "../../test/auth/password-change-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

passwordChangeContract(postgresDatabases);
