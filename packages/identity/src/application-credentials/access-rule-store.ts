/** Access rules in the database: requests that application credentials of a user allow. */
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { tableOf, type RowOf } from "../platform/database/table.js";
import { AccessRuleNotFoundError } from "./application-credential-errors.js";

export interface UserAccessRule {
  readonly id: string;
  readonly userId: string;
  readonly service: string;
  readonly path: string;
  readonly method: string;
}

export const accessRuleTable = tableOf<UserAccessRule>()(
  "access_rule",
  { id: "id", userId: "user_id", service: "service", path: "path", method: "method" },
  AccessRuleNotFoundError,
);

export type AccessRuleRow = RowOf<typeof accessRuleTable>;

/** Columns that a list may be filtered by. */
export const ACCESS_RULE_FILTERS = ["service", "path", "method"] as const;

export type AccessRuleQuery = ListQuery<(typeof ACCESS_RULE_FILTERS)[number]> & { readonly userId: string };

export function listAccessRules(
  queries: Queries,
  { userId, ...query }: AccessRuleQuery,
): Promise<UserAccessRule[]> {
  return accessRuleTable.list(queries, query, (rules) => rules.where("user_id", "=", userId));
}

/** The user's rule that allows the same requests. */
export function findEqualRule(
  queries: Queries,
  { userId, service, path, method }: Omit<UserAccessRule, "id">,
): Promise<UserAccessRule | undefined> {
  return accessRuleTable.first(
    accessRuleTable
      .select(queries)
      .where("user_id", "=", userId)
      .where("service", "=", service)
      .where("path", "=", path)
      .where("method", "=", method),
  );
}

interface LinkTables {
  readonly application_credential_access_rule: { application_credential_id: string; access_rule_id: string };
  readonly access_rule: AccessRuleRow;
}

export async function isRuleInUse(queries: Queries, id: string): Promise<boolean> {
  const row = await queries
    .tables<LinkTables>()
    .selectFrom("application_credential_access_rule")
    .select("access_rule_id")
    .where("access_rule_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The rules of application credentials, each with the credential's id. */
export async function rulesOf(
  queries: Queries,
  credentialIds: readonly string[],
): Promise<{ readonly credentialId: string; readonly rule: UserAccessRule }[]> {
  const rows = await queries
    .tables<LinkTables>()
    .selectFrom("application_credential_access_rule as link")
    .innerJoin("access_rule", "access_rule.id", "link.access_rule_id")
    .selectAll("access_rule")
    .select("link.application_credential_id as credential_id")
    .where("link.application_credential_id", "in", credentialIds)
    .orderBy("access_rule.id")
    .execute();
  return rows.map((row) => ({ credentialId: row.credential_id, rule: accessRuleTable.toItem(row) }));
}

export async function linkRule(queries: Queries, credentialId: string, ruleId: string): Promise<void> {
  await queries
    .tables<LinkTables>()
    .insertInto("application_credential_access_rule")
    .values({ application_credential_id: credentialId, access_rule_id: ruleId })
    .execute();
}
