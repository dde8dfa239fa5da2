import { browserLoginContract } from "../../../test/federation/openid/browser-login-contract.js";
import { postgresDatabases } from "../../postgres-databases.js";

browserLoginContract(postgresDatabases);
