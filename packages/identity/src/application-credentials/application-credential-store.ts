/** Application credentials in the database, with their roles and access rules. */
import { sql, type SqlBool } from "kysely";

import { groupBy } from "../assignments/assignment.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { tableOf, type RowOf } from "../platform/database/table.js";
import { roleTable, type Role, type RoleRow } from "../roles/role-store.js";
import { rulesOf, type UserAccessRule } from "./access-rule-store.js";
import { ApplicationCredentialNotFoundError } from "./application-credential-errors.js";

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
  /** Also those that the requested roles imply. */
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
);

interface Tables {
  readonly application_credential: RowOf<typeof applicationCredentialTable>;
  readonly application_credential_role: { application_credential_id: string; role_id: string };
  readonly role: RoleRow;
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
  const rows = await queries
    .tables<Tables>()
    .selectFrom("application_credential_role as link")
    .innerJoin("role", "role.id", "link.role_id")
    .selectAll("role")
    .select("link.application_credential_id as credential_id")
    .where("link.application_credential_id", "in", ids)
    .orderBy("role.name")
    .execute();
  const roles = groupBy(rows, (row) => row.credential_id);
  const rules = groupBy(await rulesOf(queries, ids), ({ credentialId }) => credentialId);
  return credentials.map((credential) => ({
    ...credential,
    roles: (roles.get(credential.id) ?? []).map(roleTable.toItem),
    accessRules: (rules.get(credential.id) ?? []).map(({ rule }) => rule),
  }));
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
 * Deletes the credentials that have a role, and, as Keystone does, all of each user for each project on which the role is granted to
 * the user.
 */
export async function deleteWithRole(queries: Queries, roleId: string): Promise<void> {
  await queries
    .tables<Tables>()
    .deleteFrom("application_credential")
    .where(
      sql<SqlBool>`id in (
        select application_credential_id from application_credential_role where role_id = ${roleId}
        union
        select own.id from assignment
        join application_credential as own on own.user_id = assignment.user_id and own.project_id = target_id
        where role_id = ${roleId} and target_kind = 'project'
      )`,
    )
    .execute();
}
