import { goldenContract } from "../../test/federation/golden-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

goldenContract(postgresDatabases);
