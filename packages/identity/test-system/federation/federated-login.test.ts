import { federatedLoginContract } from "../../test/federation/federated-login-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

federatedLoginContract(postgresDatabases);
