import { serviceContract } from "../../test/catalog/service-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

serviceContract(postgresDatabases);
