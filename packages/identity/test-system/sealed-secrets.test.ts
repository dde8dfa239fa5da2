import { sealedSecretsContract } from "../test/sealed-secrets-contract.js";
import { postgresDatabases } from "./postgres-databases.js";

sealedSecretsContract(postgresDatabases);
