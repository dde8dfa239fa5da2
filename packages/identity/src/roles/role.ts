/** Roles: fields, schemas, table, and the errors of roles, implied roles and grants. */
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { findNames, type Named } from "../platform/database/domain-scoped-names.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, WHOLE_LIST, type ListQuery, type RowOf } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
  NotFoundError,
} from "../platform/errors.js";
import {
  bodyOf,
  Id,
  listQueryOf,
  Name,
  nullable,
  openObject,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

class RoleNotFoundError extends notFoundClass("role", "roles/not-found") {}

export class RoleExistsError extends errorClass(
  ConflictError,
  "roles/exists",
  ({ name, domainId }: { readonly name: string; readonly domainId: string | null }) => {
    const place = domainId === null ? "" : ` at domain ID ${domainId}`;
    return `Conflict occurred attempting to store role - Duplicate entry found with name ${name}${place}.`;
  },
) {}

/** The domain of a role can't be changed. */
export class RoleDomainError extends errorClass(
  InvalidError,
  "roles/domain-change",
  "Update of `domain_id` is not allowed.",
) {}

export class ImpliedRoleNotFoundError extends errorClass(
  NotFoundError,
  "roles/not-implied",
  (priorRoleId: string, impliedRoleId: string) => `${priorRoleId} does not imply ${impliedRoleId}.`,
) {}

export class ImpliedRoleExistsError extends errorClass(
  ConflictError,
  "roles/implied-already",
  "Conflict occurred attempting to store implied_role - Duplicate entry.",
) {}

/** No role may imply this one. */
export class InvalidImpliedRoleError extends errorClass(
  ForbiddenError,
  "roles/not-implicable",
  (id: string) => `${id} cannot be an implied roles.`,
) {}

/** The grant does not exist. */
export class GrantNotFoundError extends errorClass(
  NotFoundError,
  "roles/not-granted",
  (facts: { readonly roleId: string; readonly actorId: string; readonly targetId: string }) =>
    `Could not find role assignment with role: ${facts.roleId}, user or group: ${facts.actorId}, ` +
    `project, domain, or system: ${facts.targetId}.`,
) {}

/** The role belongs to another domain than the project. */
export class ForeignRoleError extends errorClass(
  ForbiddenError,
  "roles/of-another-domain",
  (roleId: string, projectId: string) =>
    `Project ${projectId} must be in the same domain as the role ${roleId} being assigned.`,
) {}

/** A role of a domain can't be granted on the system. */
export class SystemRoleError extends errorClass(
  InvalidError,
  "roles/not-for-the-system",
  (roleId: string) =>
    `Role ${roleId} is a domain-specific role. Unable to use a domain-specific role in a system assignment.`,
) {}

export const roleFields = declareFields({
  id: Type.String(),
  name: Type.String(),
  /** `null` for a global role. The role of a domain is never in a token: it only implies others. */
  domain_id: nullable(Type.String()),
  description: nullable(Type.String()),
});

/** A role, which grants assign to users and groups. */
export interface Role extends ItemOf<typeof roleFields> {
  readonly options: Attributes;
  readonly extra: Attributes;
}

/** A deleted role takes its implications and grants along. */
export const roleTable = tableOf<Role>()(
  "role",
  { ...roleFields.columns, options: json("options"), extra: json("extra") },
  RoleNotFoundError,
  { resource: "role" },
);

export type RoleRow = RowOf<typeof roleTable>;

/** Columns that a list may be filtered by, besides the domain. */
export const ROLE_FILTERS = ["name"] as const;

export interface RoleQuery extends ListQuery<(typeof ROLE_FILTERS)[number]> {
  /** `null` for global roles. */
  readonly domainId: string | null;
}

export function listRoles(queries: Queries, { domainId, ...query }: RoleQuery): Promise<Role[]> {
  return roleTable.list(queries, query, inDomain(domainId));
}

/** How many roles a list has, on all its pages. */
export function countRoles(
  queries: Queries,
  { domainId, ...query }: Omit<RoleQuery, "page">,
): Promise<number> {
  return roleTable.count(queries, query, inDomain(domainId));
}

function inDomain(domainId: string | null) {
  return (roles: ReturnType<typeof roleTable.select>) =>
    roles.where("domain_id", domainId === null ? "is" : "=", domainId);
}

/** Global roles and those of all domains. */
export function listAllRoles(queries: Queries): Promise<Role[]> {
  return roleTable.list(queries, WHOLE_LIST);
}

export function findGlobalRole(queries: Queries, name: string): Promise<Role | undefined> {
  return roleTable.first(roleTable.select(queries).where("name", "=", name).where("domain_id", "is", null));
}

/** Roles of these names: global ones first. */
export async function findRolesByName(queries: Queries, names: readonly string[]): Promise<Role[]> {
  if (names.length === 0) return [];
  const roles = await roleTable.all(roleTable.select(queries).where("name", "in", names).orderBy("id"));
  return roles.toSorted((a, b) => Number(a.domainId !== null) - Number(b.domainId !== null));
}

/** The ids of all roles of domains. */
export async function domainRoleIds(queries: Queries): Promise<Set<string>> {
  const rows = await queries
    .tables<{ readonly role: RoleRow }>()
    .selectFrom("role")
    .select("id")
    .where("domain_id", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** The names of roles, by id. */
export const roleNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "role", ids);

const RoleOptions = Type.Object(
  { immutable: Type.Optional(nullable(Type.Boolean())) },
  { additionalProperties: false },
);

const attributes = {
  description: Type.Optional(nullable(Type.String())),
  domain_id: Type.Optional(nullable(Id)),
  options: Type.Optional(RoleOptions),
};

export const NewRole = bodyOf("role", openObject({ name: Name, ...attributes }));
export type NewRole = Static<typeof NewRole>["role"];

export const RoleChange = bodyOf(
  "role",
  openObject(
    { id: Type.Optional(Type.Unknown()), name: Type.Optional(Name), ...attributes },
    { minProperties: 1 },
  ),
);
export type RoleChange = Static<typeof RoleChange>["role"];

export const RoleListQuery = listQueryOf({ name: Name, domain_id: Id });

export const RoleView = openObject({ ...roleFields.shape, options: openObject({}), links: SelfLink });

/** How a request names a role that is passed on. */
export const RequestedRole = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Name) },
  { minProperties: 1, maxProperties: 1 },
);

const RoleReference = Type.Object({ id: Type.String(), name: Type.String(), links: SelfLink });

/** One implied role. */
export const ImpliedRoleResponse = Type.Object({
  role_inference: Type.Object({ prior_role: RoleReference, implies: RoleReference }),
  links: SelfLink,
});

/** All roles that a role implies. */
export const ImpliedRolesResponse = Type.Object({
  role_inference: Type.Object({ prior_role: RoleReference, implies: Type.Array(RoleReference) }),
  links: SelfLink,
});

/** All roles that imply others. */
export const InferenceList = Type.Object({
  role_inferences: Type.Array(Type.Object({ prior_role: RoleReference, implies: Type.Array(RoleReference) })),
});

/** Roles that no other may imply: otherwise who manages implications could make administrators. */
export const PROHIBITED_IMPLIED_ROLES: ReadonlySet<string> = new Set(["admin"]);

/** Members of a body that are not stored as attributes of the client. */
export const ROLE_MEMBERS = [...roleFields.names, "options", "links"];
