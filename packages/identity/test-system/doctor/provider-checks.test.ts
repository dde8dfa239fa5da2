import { providerChecksContract } from "../../test/doctor/provider-checks-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

providerChecksContract(postgresDatabases);
