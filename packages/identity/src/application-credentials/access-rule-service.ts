/** The rules for access rules. They stay when their application credential is deleted, for others of the same user. */
import type { Database, Queries, Transaction } from "../platform/database/database.js";
import type { NewId } from "../platform/ids.js";
import { checkTextLength } from "../platform/text/text-length.js";
import {
  accessRuleTable,
  findEqualRule,
  isRuleInUse,
  listAccessRules,
  AccessRuleInUseError,
  AccessRuleNotFoundError,
  IncompleteAccessRuleError,
  type AccessRuleQuery,
  type UserAccessRule,
  type AccessRuleDraft,
} from "./access-rule.js";

export interface OwnedRuleKey {
  readonly id: string;
  readonly userId: string;
}

export type AccessRuleService = ReturnType<typeof createAccessRuleService>;

export function createAccessRuleService({ database }: { readonly database: Database }) {
  return {
    list: (query: AccessRuleQuery): Promise<UserAccessRule[]> => listAccessRules(database, query),

    get: (key: OwnedRuleKey): Promise<UserAccessRule> => requireOwned(database, key),

    /** @throws {AccessRuleInUseError} An application credential has it. */
    delete: (key: OwnedRuleKey): Promise<void> =>
      database.transaction(
        async (transaction) => {
          await requireOwned(transaction, key);
          if (await isRuleInUse(transaction, key.id)) throw new AccessRuleInUseError();
          await accessRuleTable.delete(transaction, key.id);
        },
        { changes: [] },
      ),
  };
}

/** @throws {AccessRuleNotFoundError} Also for the rule of another user. */
async function requireOwned(queries: Queries, { id, userId }: OwnedRuleKey): Promise<UserAccessRule> {
  const rule = await accessRuleTable.require(queries, id);
  if (rule.userId !== userId) throw new AccessRuleNotFoundError(id);
  return rule;
}

export interface RuleRequest {
  readonly userId: string;
  readonly draft: AccessRuleDraft;
  readonly newId: NewId;
}

/**
 * The rule that a body names by its id or describes, created if the user has none for the same requests.
 *
 * @throws {IncompleteAccessRuleError} {@link TextLengthError}
 */
export async function ensureAccessRule(
  transaction: Transaction,
  { userId, draft, newId }: RuleRequest,
): Promise<UserAccessRule> {
  const { id, service, method, path } = draft;
  const named = id === undefined ? undefined : await accessRuleTable.find(transaction, id);
  if (named?.userId === userId) return named;
  if (service === undefined || method === undefined || path === undefined)
    throw new IncompleteAccessRuleError();
  checkTextLength(path, { column: "path", length: 128 });
  const rule = { id: newId(), userId, service, method, path };
  const equal = await findEqualRule(transaction, rule);
  if (equal === undefined) await accessRuleTable.insert(transaction, rule);
  return equal ?? rule;
}
