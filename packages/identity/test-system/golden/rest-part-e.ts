/** What tokens of each kind see, and what ends them. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_E: RestPart = {
  part: "e",
  rules: {
    "20_setup_e": {},
    "38_auth_lists": {
      "trusts-without-a-project": exactly("trust: no project for lists"),
      "trustors-tokens-validate-themselves": [
        3,
        /^impersonating trust token (?:validates|HEADs) itself$|^member validates trust_imp$/,
      ],
    },
    "39_deletions": {
      "tokens-of-invalid-trusts-are-not-found": [
        5,
        /^validate: (?:role revoked|user disabled|role deleted|out of the group|role of the group revoked): trust token$/,
      ],
      "unknown-credentials-are-like-wrong-secrets": [
        5,
        /^(?:user deleted|project disabled|project deleted|role deleted|domain deleted): app cred login$/,
      ],
      "disabling-ends-tokens": [3, /^validate: project enabled again: /],
      "orphans-end": exactly("project deleted: app cred get", "project deleted: app creds"),
    },
    "40_revoke_events": {},
  },
  consequences: {
    // Projects and domains that were disabled have events.
    "40_revoke_events": {
      bodies: [5, /^revoke events(?: \?(?:since=(?:2001.*)?|limit=1|bogus=1))?$/],
    },
  },
};
