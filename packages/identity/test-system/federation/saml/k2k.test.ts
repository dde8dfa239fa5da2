import { k2kContract } from "../../../test/k2k/k2k-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

k2kContract(postgresDatabases);
