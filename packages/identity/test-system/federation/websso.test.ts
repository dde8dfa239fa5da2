import { webssoContract } from "../../test/federation/browser/websso-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

webssoContract(postgresDatabases);
