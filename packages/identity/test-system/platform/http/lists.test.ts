import { listContract } from "../../../test/platform/http/lists/list-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

listContract(postgresDatabases);
