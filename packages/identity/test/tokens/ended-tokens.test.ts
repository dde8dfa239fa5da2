import { sqliteDatabases } from "../databases.js";
import { endedTokensContract } from "./ended-tokens-contract.js";

endedTokensContract(sqliteDatabases);
