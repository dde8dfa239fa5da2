/** The promises of the page, over services that are drawn at random. `test-rehearse` draws more of them. */
import { sqliteDatabases } from "../databases.js";
import { documentContract } from "./document-contract.js";

documentContract(sqliteDatabases, { runs: 3 });
