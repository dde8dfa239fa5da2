import { regionContract } from "../../test/catalog/region-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

regionContract(postgresDatabases);
