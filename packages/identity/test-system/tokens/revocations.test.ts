import { revocationsContract } from "../../test/tokens/revocations-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

revocationsContract(postgresDatabases);
