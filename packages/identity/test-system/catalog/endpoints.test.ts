import { endpointContract } from "../../test/catalog/endpoint-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

endpointContract(postgresDatabases);
