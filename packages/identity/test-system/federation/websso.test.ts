import { webssoContract } from "../../test/federation/websso-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

webssoContract(postgresDatabases);
