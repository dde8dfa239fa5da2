import { passwordLoginContract } from "../../test/auth/password-login-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

passwordLoginContract(postgresDatabases);
