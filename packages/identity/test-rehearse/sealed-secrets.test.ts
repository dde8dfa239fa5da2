import { postgresDatabases, sqliteDatabases } from "../test/databases.js";
import { sealedSecretsContract } from "../test/sealed-secrets-contract.js";

for (const databases of [sqliteDatabases, postgresDatabases])
  sealedSecretsContract(databases, { reseals: 200 });
