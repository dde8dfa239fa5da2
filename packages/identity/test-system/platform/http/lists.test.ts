import { listContract } from "../../../test/platform/http/list-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

listContract(postgresDatabases);
