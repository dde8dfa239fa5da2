import { sqliteDatabases } from "../../test/databases.js";
import { postgresDatabases } from "../postgres-databases.js";
import { tokenRacesContract } from "./token-races-contract.js";

tokenRacesContract(postgresDatabases, { processes: [{}, {}], trials: 6 });
tokenRacesContract(sqliteDatabases, { processes: [{ env: { IDENTITY_WORKERS: "2" } }], trials: 6 });
