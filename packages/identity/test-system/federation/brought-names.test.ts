import { broughtNamesContract } from "../../test/federation/brought-names-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

broughtNamesContract(postgresDatabases);
