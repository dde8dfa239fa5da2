import { sqliteDatabases } from "../test/databases.js";
import { sealedSecretsContract } from "../test/sealed-secrets-contract.js";
import { postgresDatabases } from "../test-system/postgres-databases.js";

for (const databases of [sqliteDatabases, postgresDatabases])
  sealedSecretsContract(databases, { reseals: 200 });
