import { mappedDomainsContract } from "../../test/federation/mapped-domains-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

mappedDomainsContract(postgresDatabases);
