import { signedAggregatesContract } from "./aggregate-xmlsec1-contract.js";

signedAggregatesContract(6000);
