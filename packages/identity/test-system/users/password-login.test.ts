import { passwordLoginContract } from "../../test/users/password-login-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

passwordLoginContract(postgresDatabases);
