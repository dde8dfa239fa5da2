/** Application credentials, access rules, and what tokens by application credentials may do. */
import { exactly, type RestPart } from "./golden-rules.js";

export const PART_A: RestPart = {
  part: "a",
  rules: {
    "20_setup_a": {},
    "21_application_credentials": {
      "roles-are-given-once": exactly("app cred create: role given twice"),
      "mistakes-are-told": exactly("app cred create: expires empty"),
      "application-credential-secrets-have-4096-bytes": exactly("app cred create: secret 5000"),
      "application-credentials-have-a-project": exactly("app cred create: for alice as owner unscoped"),
      "authorized-before-validated": [8, /^app cred create invalid as /],
      "lists-come-in-pages": [4, /^app cred list \?limit=/],
    },
    "22_access_rules": {
      "mistakes-are-told": [
        5,
        /^app cred create: rules (?:unknown id|(?:method|path|service) missing|empty object)$/,
      ],
      "access-rules-have-an-owner": exactly(
        "access rule get of another under own id",
        "access rule delete of another under own id",
      ),
    },
    "23_app_cred_auth": {
      "application-credential-secrets-have-4096-bytes": [2, /^app cred: 73 bytes, last /],
      "unknown-credentials-are-like-wrong-secrets": exactly(
        "app cred: unknown id",
        "app cred: deleted",
        "use of deleted app cred token",
      ),
      "mistakes-are-told": exactly("app cred: null section"),
      "access-rule-versions-are-numbers": exactly("validate: rules, header nonsense"),
      "delegated-tokens-are-not-exchanged": exactly("app cred token rescoped: none"),
      "delegated-tokens-reach-no-secrets": [
        12,
        /^ac_\w+ (?:lists (?:ec2 )?credentials|makes a credential with project|makes an ec2 credential(?: by .*)?)$/,
      ],
    },
  },
  consequences: {
    "21_application_credentials": {
      bodies: [
        14,
        /^app cred list(?: as .*| \?(?:name__startswith|project_id|unrestricted|bogus|description|sort_key)=.*)?$/,
      ],
    },
    "22_access_rules": { statuses: exactly("access rule get after", "access rule free delete") },
    "23_app_cred_auth": {
      statuses: exactly("ac_unres deletes app cred"),
      bodies: [3, /^ac_\w+ lists app creds$/],
    },
  },
  headers: { "23_app_cred_auth": [3, /^ac_rule_one used at GET /] },
  // The first rule of a page depends on random ids.
  byChance: /^access rules \?limit=1$/,
};
