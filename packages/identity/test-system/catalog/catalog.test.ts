import { catalogContract } from "../../test/catalog/catalog-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

catalogContract(postgresDatabases);
