/** The rules for policies. */
import type { Platform } from "../area.js";
import { extraOf } from "../platform/attributes.js";
import {
  PolicyIdChangeError,
  POLICY_MEMBERS,
  policyTable,
  type NewPolicy,
  type PolicyChange,
  type Policy,
  type PolicyQuery,
} from "./policy.js";

/** No token shows policies. */
const SHOWN_BY_NO_TOKEN = { changes: [] };

export type PolicyService = ReturnType<typeof createPolicyService>;

export function createPolicyService({ database, newId }: Pick<Platform, "database" | "newId">) {
  return {
    list: (query: PolicyQuery): Promise<Policy[]> => policyTable.list(database, query),

    get: (id: string): Promise<Policy> => policyTable.require(database, id),

    /** @param draft As in Keystone, an id in it is ignored. */
    create: async ({ type, blob, ...rest }: NewPolicy): Promise<Policy> => {
      const policy: Policy = { id: newId(), type, blob, extra: extraOf(rest, POLICY_MEMBERS) };
      await database.transaction((transaction) => policyTable.insert(transaction, policy), SHOWN_BY_NO_TOKEN);
      return policy;
    },

    update: async (id: string, change: PolicyChange): Promise<Policy> => {
      if ((change.id ?? id) !== id) throw new PolicyIdChangeError();
      return database.transaction(async (transaction) => {
        const policy = await policyTable.require(transaction, id);
        const { type = policy.type, blob = policy.blob } = change;
        const changed: Policy = {
          id,
          type,
          blob,
          extra: { ...policy.extra, ...extraOf(change, POLICY_MEMBERS) },
        };
        await policyTable.update(transaction, changed);
        return changed;
      }, SHOWN_BY_NO_TOKEN);
    },

    delete: (id: string): Promise<void> =>
      database.transaction((transaction) => policyTable.delete(transaction, id), SHOWN_BY_NO_TOKEN),
  };
}
