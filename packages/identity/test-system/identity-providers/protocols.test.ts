import { protocolContract } from "../../test/identity-providers/protocol-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

protocolContract(postgresDatabases);
