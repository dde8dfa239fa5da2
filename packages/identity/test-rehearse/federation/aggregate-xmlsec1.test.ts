/** An aggregate of 50 MB. */
import { signedAggregatesContract } from "../../test-system/federation/saml/aggregate-xmlsec1-contract.js";

signedAggregatesContract(29_000);
