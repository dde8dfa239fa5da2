/** Credentials, EC2 keys and signed requests, OAuth 2.0, one-time codes, several factors. */
import { exactly, type RestPart } from "./golden-rules.js";

/** Requests with a method that the endpoint does not have. */
const OTHER_METHODS = "(?:GET|HEAD|PUT|PATCH|DELETE|OPTIONS)";

export const PART_C: RestPart = {
  part: "c",
  env: { IDENTITY_ALLOW_REDELEGATION: "on" },
  rules: {
    "20_setup_c": {},
    "27_credentials": {
      "credentials-have-users-and-projects": exactly(
        "credential create: ec2 project null",
        "credential create: ec2 unknown project",
        "credential create: user unknown",
        "credential create: project unknown",
      ),
      "ec2-blobs-are-checked": exactly("credential create: ec2 access int", "credential update: blob empty"),
      "secrets-stay-in-the-domain": [
        6,
        /^credential (?:create: for \w+|list|get|update:|delete) as dom_admin$/,
      ],
      "authorized-before-validated": [2, /^credential create invalid as /],
      "only-blobs-change": [
        11,
        /^credential update: (?:type|project|project (?:null|unknown)|unknown field|id same|user .*|cert to ec2 with project)$/,
      ],
    },
    "28_ec2_credentials": {
      "credentials-have-users-and-projects": exactly("ec2 create: tenant int"),
      "lists-come-in-pages": exactly("ec2 list ?limit"),
    },
    "29_ec2tokens": {
      "signatures-cover-the-request": [
        15,
        /^ec2tokens: (?:v[013]|no version|v2 (?:access without secret|without .*|params list|access int)|v4 (?:other date in scope|no .*|nonsense .*))$/,
      ],
      "signatures-have-an-age": [3, /^ec2tokens: v2 (?:timestamp (?:an hour ahead|empty)|no timestamp)$/],
      "tokens-of-signed-requests-are-not-for-use": [
        9,
        /^ec2tokens: v2 with dead |^validate: ec2 token$|^ec2 token (?:used|of admin|revokes itself)|^app cred create: with ec2 token$/,
      ],
      "delegated-tokens-are-not-exchanged": [2, /^ec2 token rescoped/],
      "delegated-tokens-reach-no-secrets": [
        3,
        /^ec2 create: by .*trust$|^credential create: ec2 by app cred /,
      ],
    },
    "30_s3tokens": {
      "signatures-have-an-age": [
        4,
        /^s3tokens: (?:v4 an? (?:hour|year) old|v1 old Timestamp in params|v1 string to sign that is a query)$/,
      ],
      "signatures-cover-the-request": [2, /^s3tokens: v1 without /],
    },
    "31_oauth2": {
      "oauth2-clients-are-unauthorized": [4, /^oauth2: (?:unknown id|by name|user and password|deleted)$/],
      "methods-stay-in-tokens": exactly("validate: mTLS token"),
      "changed-mappings-have-warnings": exactly("mTLS: mapping"),
    },
    "32_totp": {
      "one-time-codes-work-once": [
        6,
        /^totp: (?:good again .*|by name|scoped|previous window|good beside .*|and password)$/,
      ],
      "secrets-of-80-bits": exactly("totp: third"),
    },
    "33_mfa_receipts": {
      "one-time-codes-work-once": [
        16,
        /^mfa: (?:both(?: scoped)?|earlier token and totp|totp with .*)$|^receipt: (?:password then totp|used again|scoped|empty|with both)$/,
      ],
      "rules-need-methods-on-offer": [3, /^mfa: password with (?:(?:only )?unknown|empty)/],
      "receipts-end-like-tokens": exactly("receipt: a token"),
      "oauth2-clients-are-unauthorized": exactly("mfa: oauth2"),
      "errors-in-json": exactly("receipts by GET"),
    },
  },
  consequences: {
    "27_credentials": {
      statuses: exactly("credential get unkuser"),
      bodies: [
        29,
        /^credential list(?! as dom_admin)(?: .*)?$|^credential get after type change$|^credential update: as (?!dom_admin)/,
      ],
    },
    "28_ec2_credentials": { bodies: [8, /^ec2 list(?: as .*)?$/] },
    "29_ec2tokens": {
      // The keys that would have been created by delegated tokens don't exist.
      statuses: [
        10,
        /^ec2 token revoked by admin$|^ec2 get of trust$|^ec2tokens: v2 of (?:(?:impersonating )?trust$|.*app cred)|^validate: ec2 token of |^credential (?:get|update).* app cred/,
      ],
      bodies: exactly("ec2 list after trust delete"),
    },
    "31_oauth2": { bodies: exactly("oauth2 token lists app creds") },
    "32_totp": { statuses: exactly("validate: password+totp") },
    "33_mfa_receipts": { statuses: exactly("mfa: token of both rescoped", "validate: by receipt") },
  },
  headers: {
    "29_ec2tokens": [6, new RegExp(`^ec2tokens ${OTHER_METHODS}$`)],
    "30_s3tokens": [6, new RegExp(`^s3tokens ${OTHER_METHODS}$`)],
    // `WWW-Authenticate` of an invalid client.
    "31_oauth2": [
      19,
      new RegExp(
        `^oauth2 ${OTHER_METHODS}$|^oauth2: (?:wrong|empty|no auth|form|bearer|basic)|^mTLS: (?!good)|^oauth2 token with rules used here$`,
      ),
    ],
  },
  filesOfOneStep: ["32_totp", "33_mfa_receipts"],
  // The first credentials of a page depend on random ids.
  byChance: /^credential list (?:by alice )?\?limit=/,
};
