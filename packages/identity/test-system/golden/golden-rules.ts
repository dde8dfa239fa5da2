/** Deviations from Keystone's recorded responses, by the name of their section in docs/identity/differences.md. */

/** The number of requests that a rule explains, and the pattern of their names. */
export type Deviation = readonly [count: number, names: RegExp];

/** By the rule. */
export type FileRules = Readonly<Record<string, Deviation>>;

/** By the file of a recording. */
export type Rules = Readonly<Record<string, FileRules>>;

export interface Consequences {
  /** A resource was created, or was not. */
  readonly statuses?: Deviation;
  /** A list has an item more or less. */
  readonly bodies?: Deviation;
}

/** A part of the recordings of all other resources, which was made on a server of its own. */
export interface RestPart {
  readonly part: "a" | "b" | "c" | "d" | "e" | "f";
  readonly rules: Rules;
  /** By the file, requests with other responses because an earlier request had another result by one of the rules. */
  readonly consequences?: Readonly<Record<string, Consequences>>;
  /** By the file, requests whose headers alone differ: the rules name them for several requests together. */
  readonly headers?: Readonly<Record<string, Deviation>>;
  /** Files with one-time codes. All codes in a file have to belong to one step of 30 seconds. */
  readonly filesOfOneStep?: readonly string[];
  /** Requests whose responses depend on chance. */
  readonly byChance?: RegExp;
  /** Settings that the part needs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** These requests, and no others. */
export function exactly(...names: readonly string[]): Deviation {
  const escaped = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return [names.length, new RegExp(`^(?:${escaped.join("|")})$`)];
}

const NAMES_OF_LISTS = "(?: slash| as \\w+| \\?(?!limit|marker).*)?";

const REGISTERED_LIMITS: Rules[string] = {
  "permissions-before-bodies": [9, /^rl create: invalid body as /],
  "limits-come-in-pages": [2, /^rl list \?limit=(?:abc|-1)$/],
  "no-duplicate-of-itself": [1, /^rl update: region back$/],
};

const LIMITS = {
  "permissions-before-bodies": [9, /^limit create invalid as /],
  "limits-take-zero-and-null": [1, /^limit update: description null$/],
  "limits-end-with-what-they-are-of": [2, /after service delete$/],
} satisfies Rules[string];

/**
 * Whether these differ depends on random ids, which determine the first item of a page. The contents of pages are tested with
 * ids that are given.
 */
export const BY_CHANCE = /^(?:rl|limits) list \?(?:limit=[12](?:&|$)|marker=)/;

export const RULES: Rules = {
  "00_setup": {},
  "01_discovery": {
    "errors-in-json": [
      16,
      /^(?:GET \/v(?:2\.0|4|3\/nothing|3\/OS-FEDERATION\/?|3\/auth\/?)|(?:POST|PUT|DELETE|PATCH) \/(?:v3)?|method TRACE)$/,
    ],
    "only-what-is-there": [3, /^GET \/(?:v3)? json-home$|^GET \/v3\/\/registered_limits$/],
  },
  "02_auth_tokens": { "only-what-is-there": [2, /^auth: (?:unknown method|method oauth1 not enabled)$/] },
  "03_identity_providers": {
    "authorized-before-validated": [9, /^idp create: invalid body as /],
    "mistakes-are-told": [1, /^idp create: ttl 2147483648$/],
    "booleans-are-booleans": [8, /^idp create: enabled '|^idp update: enabled string$/],
    "links-are-escaped": [3, /^idp create: id (?:unicode|space|percent)$/],
    "remote-ids-may-be-long": [2, /^idp create: remote_ids (?:65|255)$/],
    // The one whose id has a slash is in the lists, and its domain among the domains; in one list, so are those with long remote ids.
    "ids-hold-slashes": [
      15,
      new RegExp(`^idp create: id slash enc$|^idp list${NAMES_OF_LISTS}$|^domains after idp delete$`),
    ],
    "lists-come-in-pages": [3, /^idp list \?(?:limit|marker)/],
  },
  "04_mappings": {
    "groups-have-domains": [1, /^mapping create: group domain empty$/],
    "placeholders-are-checked": [1, /^mapping create: direct map out of range$/],
    // Those that were refused are missing in the lists.
    "patterns-are-checked": [
      8,
      new RegExp(`^mapping create: invalid regex$|^mapping list${NAMES_OF_LISTS}$`),
    ],
    "schema-versions-are-checked": [3, /^mapping create: schema_version/],
    "mistakes-are-told": [3, /^mapping create: (?:null|list|string)$/],
    "links-are-escaped": [1, /^mapping create: id special$/],
    "lists-come-in-pages": [2, /^mapping list \?(?:limit|marker)/],
    "mappings-have-no-collection-methods": [5, /^mapping collection /],
    "changed-mappings-have-warnings": exactly(
      "mapping create: groups no domain",
      "mapping create: schema 3.0 projects_json",
    ),
  },
  "05_protocols": {
    "protocols-need-a-provider": [1, /^protocols list unknown idp$/],
    "authorized-before-validated": [9, /^protocol create: invalid as /],
    "protocol-links-lead-to-the-protocol": [
      28,
      new RegExp(
        `^protocol (?:create: (?!invalid)|get|update: |after mapping delete)|^protocols list(?! unknown)${NAMES_OF_LISTS}$`,
      ),
    ],
    "lists-come-in-pages": [1, /^protocols list \?limit/],
  },
  "06_service_providers": {
    "relay-states-begin-with-text": [2, /: relay null$/],
    // Those that were refused are missing in the lists.
    "service-providers-are-on-the-web": [
      17,
      new RegExp(
        `^sp create: (?:auth|sp)_url '(?:ftp:|mailto:|javascript:|https://exämple)|^sp list${NAMES_OF_LISTS}$`,
      ),
    ],
    "booleans-are-booleans": [4, /^sp create: enabled '/],
    "links-are-escaped": [1, /^sp create: id special$/],
    "authorized-before-validated": [9, /^sp create: invalid as /],
    "lists-come-in-pages": [2, /^sp list \?(?:limit|marker)/],
  },
  "07_fed_auth": {
    "patterns-are-checked": exactly("mapping create: f_regexbad", "fed: [f_regexbad] x"),
    "placeholders-are-checked": exactly("mapping create: f_outofrange", "fed: [f_outofrange] x"),
    "protocol-links-lead-to-the-protocol": exactly(
      "protocol create: fidp mapped",
      "protocol create: fidp saml2",
      "protocol create: fidp openid",
      "protocol create: fidp kerberos (method not configured)",
      "protocol create: fidp custom name",
      "protocol create: fidp2 mapped",
      "protocol create: off mapped",
    ),
    "one-user-many-protocols": exactly("fed: saml2 per-protocol attr", "fed: openid"),
    "any-protocol-is-a-method": exactly(
      "fed: kerberos not configured",
      "fed: custom not configured",
      "fed: unknown protocol",
      "fed: password protocol name",
      "fed: token protocol name",
    ),
    // The user who came by such a header is not in the lists.
    "client-headers-are-no-assertion": exactly(
      "fed: [f_hdr] client header is an assertion",
      "users in dom2 (shadow users)",
      "user list by idp",
      "user list by idp+proto",
    ),
    "refusals-say-nothing": exactly(
      "fed: long user",
      "fed: [f_badgroup] x",
      "fed: [f_groupids] unknown",
      "/auth/system as fed",
      "/auth/system as fed_g2",
      "rescope: system",
      "rescope: mapped with non-federated token",
    ),
    "tokens-of-federations-are-like-others": exactly(
      "rescope: project p1",
      "rescope: project by name",
      "rescope: domain default (g2)",
      "rescope: no scope",
      "rescope: unscoped",
      "rescope: saml2 method with token id",
      "rescope: mapped method with token id",
      "rescope: provisioned project",
      "rescope: rescoped again",
      "validate fed scoped",
      "validate fed domain",
      "auth: mapped through /auth/tokens scoped",
    ),
    "changed-mappings-have-warnings": exactly(
      "mapping create: f_groupids",
      "mapping create: f_groups_nodom",
      "mapping create: f_local_id",
    ),
    "disabled-providers-end-tokens": exactly(
      "fed token after idp disable: validate",
      "fed token after idp disable: use",
      "rescope: after idp disable",
      "rescope: after idp disable saml2",
      "fed scoped after re-enable",
    ),
  },
  "12_websso": {
    "one-user-many-protocols": exactly("websso: saml2 with per-protocol attr", "websso: openid"),
    "any-protocol-is-a-method": exactly(
      "websso: unknown protocol",
      "websso: kerberos not a method",
      "websso: idp unknown protocol",
    ),
  },
  "13_saml_k2k": {
    "relay-states-begin-with-text": exactly("sp create: k2k relay null"),
    "assertions-are-posted": [6, /: (?:GET|GET as admin|PUT)$/],
    // The token is one from before the provider was disabled.
    "disabled-providers-end-tokens": exactly("saml2: federated token", "ecp: federated token"),
  },
  "14_after_delete": {
    "refusals-say-nothing": exactly(
      "rescope: after group delete",
      "rescope: after group delete (mapped)",
      "fed: after group delete",
    ),
    "one-user-many-protocols": exactly("users of idp after protocol delete"),
    "protocol-links-lead-to-the-protocol": exactly("protocol create: again"),
    "tokens-of-deleted-users": exactly("fed token after idp delete: use"),
  },
  "08_registered_limits": REGISTERED_LIMITS,
  "09_limits": {
    ...LIMITS,
    "defaults-may-change": [3, /^rl update with limits: (?:default_limit|description|same values)$/],
  },
  "10_limit_model": {},
  "11_limits_delete": { "limits-end-with-what-they-are-of": [3, /^limits of deleted domain$|list end$/] },
};

/** Of the recording under the model of two levels. */
export const TWO_LEVEL_RULES: Rules = {
  "00_setup": {},
  "08_registered_limits_s2l": REGISTERED_LIMITS,
  "09_limits_s2l": {
    ...LIMITS,
    "defaults-may-change": [2, /^rl update with limits: (?:description|same values)$/],
    "unlimited-is-no-number": [1, /^limit update: unlimited$/],
  },
  "10_limit_model_s2l": {
    "unlimited-is-no-number": [2, /^model: project un(?:limited under finite|der unlimited) domain$/],
    "zero-is-a-limit": [1, /^model: project above zero domain$/],
  },
  "11_limits_delete_s2l": {
    // It has a child, and so is not deleted; one of its limits was not to be had.
    "unlimited-is-no-number": [1, /^limits of deleted project$/],
    "limits-end-with-what-they-are-of": [3, /^limits of deleted domain$|list end$/],
  },
};

/** Of the recording with a limit for lists: how many items they have, whether there are more, and where. */
export const LIST_LIMIT_RULES: Rules = {
  "15_list_limit": { "lists-come-in-pages": [27, /^list_limit=2 /] },
};
