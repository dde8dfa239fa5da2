import { forwardedAssertionContract } from "../../test/federation/forwarded-assertion-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

forwardedAssertionContract(postgresDatabases);
