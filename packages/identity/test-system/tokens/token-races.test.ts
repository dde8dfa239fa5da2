import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { tokenRacesContract } from "./token-races-contract.js";

const workers = { IDENTITY_WORKERS: "2" };

tokenRacesContract(postgresDatabases, { processes: [{}, {}], connections: 8, trials: 3 });
tokenRacesContract(sqliteDatabases, { processes: [{ env: workers }], connections: 24, trials: 3 });
