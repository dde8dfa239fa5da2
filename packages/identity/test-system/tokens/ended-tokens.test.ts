import { endedTokensContract } from "../../test/tokens/ended-tokens-contract.js";
import { postgresDatabases } from "../postgres-databases.js";

endedTokensContract(postgresDatabases);
