import { mappingContract } from "../../test/mappings/mapping-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

mappingContract(postgresDatabases);
