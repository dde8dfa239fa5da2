import { databases } from "./databases.js";
import { sealedSecretsContract } from "./sealed-secrets-contract.js";

sealedSecretsContract(databases);
