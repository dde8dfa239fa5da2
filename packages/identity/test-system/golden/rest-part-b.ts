/** Trusts, and logins with them. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_B: RestPart = {
  part: "b",
  env: { IDENTITY_ALLOW_REDELEGATION: "on" },
  rules: {
    "20_setup_b": {},
    "24_trusts": {
      "trusts-without-a-project": exactly("trust create: project empty"),
      "members-of-trusts-are-set-here": [4, /^trust create: (?:\w+ in body|count null)$/],
      "mistakes-are-told": exactly("trust create: uses 2147483648"),
      "trusted-roles-are-given-once": exactly("trust create: role twice"),
      "authorized-before-validated": [5, /^trust create invalid as /],
      "trust-lists-are-filtered": [5, /^trust list \?/],
    },
    "25_trust_auth": {
      "trusts-without-a-project": exactly("trust: without project"),
      "trustors-tokens-validate-themselves": exactly("validate: trust_imp by itself"),
      "delegated-tokens-reach-no-secrets": [
        8,
        /^trust(?:_imp)? (?:makes an ec2 credential|makes ec2 by .*|lists ec2|lists credentials)$/,
      ],
      "trusts-delete-themselves": exactly("trust_imp deletes the trust"),
    },
  },
  consequences: {
    "24_trusts": {
      bodies: [17, /^trust list (?:of trust\w+ )?as /],
    },
    "25_trust_auth": {
      bodies: exactly("used-up trust listed", "trust_imp lists own trusts"),
    },
  },
};
