/** Application credentials with their roles and access rules: fields, schemas, table and errors. */
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Type, type Static } from "typebox";

import { groupBy } from "../assignments/assignment.js";
import { MAX_PASSWORD_BYTES } from "../passwords/password-hash.js";
import type { Queries } from "../platform/database/database.js";
import { tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  NotFoundError,
} from "../platform/errors.js";
import { bodyOf, Name, nullable, SelfLink } from "../platform/http/validation/schema-parts.js";
import { quoted } from "../platform/text/quoted-value.js";
import { roleTable, RequestedRole, type Role, type RoleRow } from "../roles/role.js";
import { AccessRuleDraft, rulesOf, ShownAccessRule, type UserAccessRule } from "./access-rule.js";

class ApplicationCredentialNotFoundError extends errorClass(
  NotFoundError,
  "application-credentials/not-found",
  (id: string) => `Could not find Application Credential: ${id}.`,
) {}

/** The user has one of this name; also where a body repeats an access rule, as in Keystone. */
export class ApplicationCredentialExistsError extends errorClass(
  ConflictError,
  "application-credentials/exists",
  (name: string) =>
    `Conflict occurred attempting to store application_credential - Duplicate entry found with name ${name}.`,
) {}

/** An application credential is for the project of the token that creates it. */
export class ProjectScopeNeededError extends errorClass(
  ForbiddenError,
  "application-credentials/project-scope",
  "An application credential is created with a token scoped to its project.",
) {}

export class TooManyApplicationCredentialsError extends errorClass(
  ForbiddenError,
  "application-credentials/too-many",
  (limit: number) =>
    `Unable to create additional application credentials, maximum of ${limit} already exceeded for user.`,
) {}

export class UnassignedRoleError extends errorClass(
  InvalidError,
  "application-credentials/unassigned-role",
  "Invalid application credential: Cannot create an application credential with unassigned role",
) {}

/** The token has the role, and the user has not: it comes from groups of a provider that end with the token. */
export class UnkeptRoleError extends errorClass(
  InvalidError,
  "application-credentials/unkept-role",
  (roles: readonly string[]) =>
    `Invalid application credential: Cannot create an application credential with unassigned role: ${roles.map(quoted).toSorted().join(", ")} of this login comes from groups of its identity provider, which end with the token. Set "authorization_ttl" of the provider, or assign the role to the user.`,
) {}

export class UnknownRoleNameError extends errorClass(
  NotFoundError,
  "application-credentials/unknown-role",
  (name: string) => `Role ${name} is not defined`,
) {}

export class SecretTooLongError extends errorClass(
  InvalidError,
  "application-credentials/secret-too-long",
  `Invalid input for field/attribute secret. A secret has at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`,
) {}

/** A secret by which a program logs in as a user, with some of the user's roles on one project. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly secretHash: string;
  readonly description: string | null;
  readonly userId: string;
  readonly projectId: string;
  /** Stored and shown, without a meaning. */
  readonly system: string | null;
  /** UTC with microseconds and no zone: `2026-12-31T23:59:59.000000`; `null` if it never expires. */
  readonly expiresAt: string | null;
  /** Whether its tokens may create and delete application credentials; `null` where the client did not say, which is no. */
  readonly unrestricted: boolean | null;
}

/** With what belongs to it. */
export interface FullApplicationCredential extends ApplicationCredential {
  /** Those that it was created with, its own. */
  readonly ownRoleIds: readonly string[];
  /** Its own roles and those that they imply. */
  readonly roles: readonly Role[];
  /** None allow any request. */
  readonly accessRules: readonly UserAccessRule[];
}

export const applicationCredentialTable = tableOf<ApplicationCredential>()(
  "application_credential",
  {
    id: "id",
    name: "name",
    secretHash: "secret_hash",
    description: "description",
    userId: "user_id",
    projectId: "project_id",
    system: "system",
    expiresAt: "expires_at",
    unrestricted: "unrestricted",
  },
  ApplicationCredentialNotFoundError,
  { resource: "application_credential" },
);

interface Tables {
  readonly application_credential: RowOf<typeof applicationCredentialTable>;
  readonly application_credential_role: { application_credential_id: string; role_id: string };
}

/** Columns that a list may be filtered by. */
export const APPLICATION_CREDENTIAL_FILTERS = ["name"] as const;

export type ApplicationCredentialQuery = ListQuery<(typeof APPLICATION_CREDENTIAL_FILTERS)[number]> & {
  readonly userId: string;
};

export async function listApplicationCredentials(
  queries: Queries,
  { userId, ...query }: ApplicationCredentialQuery,
): Promise<FullApplicationCredential[]> {
  const found = await applicationCredentialTable.list(queries, query, (all) =>
    all.where("user_id", "=", userId),
  );
  return withParts(queries, found);
}

export function findByName(
  queries: Queries,
  { userId, name }: { readonly userId: string; readonly name: string },
): Promise<ApplicationCredential | undefined> {
  return applicationCredentialTable.first(
    applicationCredentialTable.select(queries).where("user_id", "=", userId).where("name", "=", name),
  );
}

/** The credentials with their roles and access rules. */
export async function withParts(
  queries: Queries,
  credentials: readonly ApplicationCredential[],
): Promise<FullApplicationCredential[]> {
  if (credentials.length === 0) return [];
  const ids = credentials.map(({ id }) => id);
  const { rows } = await rolesQuery(ids).execute(queries.tables());
  const roles = groupBy(rows, (row) => row.credential_id);
  const rules = groupBy(await rulesOf(queries, ids), ({ credentialId }) => credentialId);
  return credentials.map((credential) => {
    const found = roles.get(credential.id) ?? [];
    return {
      ...credential,
      ownRoleIds: found.filter(({ is_own }) => Boolean(is_own)).map(({ id }) => id),
      roles: found.map(roleTable.toItem),
      accessRules: (rules.get(credential.id) ?? []).map(({ rule }) => rule),
    };
  });
}

interface CredentialRoleRow extends RoleRow {
  readonly credential_id: string;
  /** SQLite has no booleans in raw queries. */
  readonly is_own: boolean | number;
}

function rolesQuery(credentialIds: readonly string[]): RawBuilder<CredentialRoleRow> {
  return sql<CredentialRoleRow>`
    with recursive own (credential_id, role_id) as (
      select application_credential_id, role_id from application_credential_role
      where application_credential_id in (${sql.join(credentialIds)})
    ),
    effective (credential_id, role_id) as (
      select credential_id, role_id from own
      union
      select credential_id, implied_role_id from implied_role join effective on prior_role_id = effective.role_id
    )
    select role.*, effective.credential_id,
      exists (
        select 1 from own where own.credential_id = effective.credential_id and own.role_id = role.id
      ) as is_own
    from effective join role on role.id = effective.role_id
    order by role.name`;
}

export async function insertCredentialRoles(
  queries: Queries,
  credentialId: string,
  roleIds: readonly string[],
): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("application_credential_role")
    .values(roleIds.map((roleId) => ({ application_credential_id: credentialId, role_id: roleId })))
    .execute();
}

export async function countOf(queries: Queries, userId: string): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("application_credential")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Deletes the credentials that have a role, also by another one that implies it, and, as Keystone does, all of each user for each project on which the role is granted to
 * the user.
 */
export async function deleteWithRole(queries: Queries, roleId: string): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("application_credential")
    .where(
      sql<SqlBool>`id in (
        with recursive prior (role_id) as (
          select id from role where id = ${roleId}
          union
          select prior_role_id from implied_role join prior on implied_role_id = prior.role_id
        )
        select application_credential_id from application_credential_role
        where role_id in (select role_id from prior)
        union
        select own.id from assignment
        join application_credential as own on own.user_id = assignment.user_id and own.project_id = target_id
        where role_id = ${roleId} and target_kind = 'project'
      )`,
    )
    .execute();
}

/** `id` and `project_id` are ignored, as in Keystone. */
export const NewApplicationCredential = bodyOf(
  "application_credential",
  Type.Object(
    {
      id: Type.Optional(Type.String()),
      name: Name,
      secret: Type.Optional(nullable(Type.String())),
      description: Type.Optional(nullable(Type.String())),
      project_id: Type.Optional(Type.String()),
      system: Type.Optional(nullable(Type.String())),
      expires_at: Type.Optional(nullable(Type.String())),
      roles: Type.Optional(Type.Array(RequestedRole)),
      unrestricted: Type.Optional(nullable(Type.Boolean())),
      access_rules: Type.Optional(Type.Array(AccessRuleDraft)),
    },
    { additionalProperties: false },
  ),
);
export type NewApplicationCredential = Static<typeof NewApplicationCredential>["application_credential"];

export const ApplicationCredentialView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  user_id: Type.String(),
  project_id: Type.String(),
  system: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  unrestricted: nullable(Type.Boolean()),
  roles: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        domain_id: nullable(Type.String()),
        description: nullable(Type.String()),
        options: Type.Object({}, { additionalProperties: true }),
      },
      { additionalProperties: true },
    ),
  ),
  access_rules: Type.Optional(Type.Array(ShownAccessRule)),
  secret: Type.Optional(Type.String()),
  links: SelfLink,
});
