import { serviceProviderContract } from "../../test/service-providers/service-provider-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

serviceProviderContract(postgresDatabases);
