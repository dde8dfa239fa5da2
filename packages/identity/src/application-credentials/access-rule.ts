/** Access rules, requests that application credentials of a user allow: fields, schemas, table and errors. */
import { Type, type Static } from "typebox";

import type { Queries } from "../platform/database/database.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { tableOf, type ListQuery, type RowOf } from "../platform/database/table.js";
import { errorClass, ForbiddenError, InvalidError, NotFoundError } from "../platform/errors.js";
import { Id, SelfLink } from "../platform/http/validation/schema-parts.js";

export class AccessRuleNotFoundError extends errorClass(
  NotFoundError,
  "application-credentials/access-rule-not-found",
  (id: string) => `Could not find Access Rule: ${id}.`,
) {}

/** An access rule of a body is neither complete nor one of the user's. */
export class IncompleteAccessRuleError extends errorClass(
  InvalidError,
  "application-credentials/incomplete-access-rule",
  "Invalid input for field/attribute access_rules. An access rule has the id of one of the user's, or a service, a method and a path.",
) {}

export class AccessRuleInUseError extends errorClass(
  ForbiddenError,
  "application-credentials/access-rule-in-use",
  "May not delete access rule in use",
) {}

export const accessRuleFields = declareFields({
  id: Type.String(),
  service: Type.String(),
  path: Type.String(),
  method: Type.String(),
});

export interface UserAccessRule extends ItemOf<typeof accessRuleFields> {
  readonly userId: string;
}

export const accessRuleTable = tableOf<UserAccessRule>()(
  "access_rule",
  { ...accessRuleFields.columns, userId: "user_id" },
  AccessRuleNotFoundError,
  { resource: "access_rule", without: ["created"] },
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

const METHODS = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"] as const;

export const RuleMethod = Type.Enum([...METHODS]);
export const RulePath = Type.String({ maxLength: 225, pattern: String.raw`^/\.*` });

/** By its id, or a new one by the other members; which of them it needs depends on whether the user has it. */
export const AccessRuleDraft = Type.Object({
  id: Type.Optional(Type.String()),
  service: Type.Optional(Id),
  method: Type.Optional(RuleMethod),
  path: Type.Optional(RulePath),
});
export type AccessRuleDraft = Static<typeof AccessRuleDraft>;

export const ShownAccessRule = Type.Object(accessRuleFields.shape);

export const AccessRuleView = Type.Object({ ...accessRuleFields.shape, links: SelfLink });
