/**
 * Which parts the target of an action has for rules of policy files, as at Keystone: `user` has the attributes `target.user.id`,
 * `target.user.domain_id` and so on. Actions that are not named have the ids of the path alone.
 */
import { OWN_PERMISSIONS, DEFAULT_PERMISSIONS } from "./default-permissions.js";
import { PERMISSIONS, type Action } from "./is-allowed.js";

/** A part that is stored: the parameter of the path with its id, and the collection that has it. */
interface StoredPart {
  readonly parameter: string;
  readonly collection: string;
}

export const STORED_PARTS = {
  user: { parameter: "user_id", collection: "/v3/users" },
  group: { parameter: "group_id", collection: "/v3/groups" },
  project: { parameter: "project_id", collection: "/v3/projects" },
  domain: { parameter: "domain_id", collection: "/v3/domains" },
  role: { parameter: "role_id", collection: "/v3/roles" },
  prior_role: { parameter: "prior_role_id", collection: "/v3/roles" },
  implied_role: { parameter: "implied_role_id", collection: "/v3/roles" },
  credential: { parameter: "credential_id", collection: "/v3/credentials" },
  trust: { parameter: "trust_id", collection: "/v3/OS-TRUST/trusts" },
  limit: { parameter: "limit_id", collection: "/v3/limits" },
} as const satisfies Readonly<Record<string, StoredPart>>;

export type PartName = keyof typeof STORED_PARTS;

interface TargetParts {
  /** By the path. */
  readonly stored?: readonly PartName[];
  /** The member of the body. */
  readonly body?: "user" | "group" | "project" | "credential" | "trust";
  /** Made from what the route knows. */
  readonly made?:
    | "token"
    | "limit of"
    | "credential of user"
    | "credential of caller"
    | "owner"
    | "trust"
    | "list"
    | "tree";
}

const NAMES = Object.keys(PERMISSIONS) as Action[];
const matching = (pattern: RegExp, parts: TargetParts) =>
  Object.fromEntries(NAMES.filter((name) => pattern.test(name)).map((name) => [name, parts]));

const PARTS: Readonly<Partial<Record<string, TargetParts>>> = {
  ...matching(/:(?:get|update|delete)_user$|:list_(?:groups_for_user|user_projects)$|_access_rules?$/, {
    stored: ["user"],
  }),
  ...matching(/:(?:get|update|delete)_group$|:list_users_in_group$/, { stored: ["group"] }),
  ...matching(/:(?:check|add|remove)_user_(?:in|to|from)_group$/, { stored: ["group", "user"] }),
  ...matching(/:(?:get|update|delete)_project$|_project_tags?$/, { stored: ["project"] }),
  ...matching(/:(?:get|update|delete)_domain$/, { stored: ["domain"] }),
  ...matching(/:(?:list|check|create|revoke)_grants?$/, {
    stored: ["role", "user", "group", "project", "domain"],
  }),
  ...matching(/_system_grants?_for_(?:user|group)$/, { stored: ["role", "user", "group"] }),
  ...matching(/:(?:get|update|delete)_(?:domain_)?role$/, { stored: ["role"] }),
  ...matching(/_implied_roles?$/, { stored: ["prior_role", "implied_role"] }),
  ...matching(/:(?:get|update|delete)_credential$/, { stored: ["credential"] }),
  ...matching(/:(?:get|delete)_trust$|_for_trust$/, { stored: ["trust"] }),
  ...matching(/:list_trusts_for_trust(?:or|ee)$/, { made: "trust" }),
  ...matching(/:(?:check|validate|revoke)_token$/, { made: "token" }),
  ...matching(/:ec2_(?:get|create|delete)_credential$/, { made: "credential of user" }),
  ...matching(/:(?:get|delete)_application_credential$/, { made: "owner" }),
  ...matching(/:list_(?:users|projects|groups|domains|role_assignments)$/, { made: "list" }),
  "identity:create_user": { body: "user" },
  "identity:create_group": { body: "group" },
  "identity:create_project": { body: "project" },
  "identity:create_credential": { body: "credential" },
  "identity:create_trust": { body: "trust" },
  "identity:get_limit": { stored: ["limit"], made: "limit of" },
  "identity:list_credentials": { made: "credential of caller" },
  "identity:list_role_assignments_for_tree": { stored: ["project"], made: "tree" },
};

export function partsOf(action: Action): TargetParts {
  return PARTS[action] ?? {};
}

/** Actions about secrets of a user, and those that Keystone does not have: rules see that user, too, who may not be in the path. */
export function hasSubject(action: Action): boolean {
  return (
    action in OWN_PERMISSIONS ||
    (action in DEFAULT_PERMISSIONS && /credentials?$/.test(action) && !action.includes("application"))
  );
}

/** Known attributes of each part; those of `options` besides. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  user: words("id name domain_id enabled description email default_project_id password_expires_at"),
  group: words("id name domain_id description"),
  project: words("id name domain_id parent_id is_domain enabled description tags"),
  domain: words("id name enabled description tags"),
  role: words("id name domain_id description"),
  credential: words("id user_id project_id type blob"),
  trust: words(
    "id trustor_user_id trustee_user_id project_id impersonation expires_at remaining_uses redelegation_count redelegated_trust_id",
  ),
  limit: words(
    "id project_id domain_id service_id region_id resource_name resource_limit description domain.id domain.name " +
      "project.id project.name project.domain_id project.parent_id",
  ),
  token: words("user_id user.domain.id"),
};

function words(text: string): string[] {
  return text.split(" ");
}

const FIELDS_OF: Readonly<Record<string, string>> = { prior_role: "role", implied_role: "role" };

/** Attributes that are `None` for some targets. */
export const NULLABLE_TARGET_ATTRIBUTES: ReadonlySet<string> = new Set(
  words(
    "project.domain_id project.parent_id role.domain_id prior_role.domain_id implied_role.domain_id " +
      "limit.project_id limit.domain_id limit.region_id credential.project_id trust.project_id",
  ).map((name) => `target.${name}`),
);

/** Ids in paths, by the names that Keystone has for them. */
const PATH_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...words(
    "user group project domain role prior_role implied_role credential trust limit registered_limit region service endpoint " +
      "endpoint_group policy idp protocol mapping sp consumer access_token request_token application_credential access_rule",
  ).map((noun) => `${noun}_id`),
  ...words("tag value option group type"),
]);

/** Why rules can't name an attribute of targets; `undefined` if they can. */
export function faultOfAttribute(name: string): string | undefined {
  if (/^(?:request_body|filter_attr)\../s.test(name) || PATH_ATTRIBUTES.has(name)) return undefined;
  const [start = "", part = "", ...rest] = name.split(".");
  const field = rest.join(".");
  if (start !== "target")
    return `"%(${name})s" is no attribute of targets: expected an id of the path such as user_id, target.PART.NAME, filter_attr.NAME or request_body.NAME`;
  if (field === "" && ["domain_id", "user_id"].includes(part)) return undefined;
  const fields = FIELDS[FIELDS_OF[part] ?? part];
  if (fields === undefined)
    return `"%(${name})s": targets have no part "${part}", expected one of ${Object.keys({ ...FIELDS, ...FIELDS_OF }).join(", ")}`;
  if (fields.includes(field) || /^options\../s.test(field)) return undefined;
  return `"%(${name})s": target.${part} has no attribute "${field}", expected one of ${fields.join(", ")}`;
}
