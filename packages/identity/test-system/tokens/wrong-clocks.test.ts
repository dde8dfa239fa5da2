import { postgresDatabases } from "../postgres-databases.js";
import { wrongClocksContract } from "../../test/tokens/wrong-clocks-contract.js";

wrongClocksContract(postgresDatabases);
