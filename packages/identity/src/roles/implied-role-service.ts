/** The rules for roles that imply others. Cycles are allowed, as in Keystone. */
import type { Database, Queries } from "../platform/database/database.js";
import {
  deleteImpliedRole,
  hasImpliedRole,
  insertImpliedRole,
  listImpliedRoles,
  listInferences,
  listRolesOfInferences,
  type ImpliedRole,
} from "./implied-role-store.js";
import { ImpliedRoleExistsError, ImpliedRoleNotFoundError, InvalidImpliedRoleError } from "./role-errors.js";
import { roleTable, type Role } from "./role-store.js";

/** Roles that no other may imply: otherwise who manages implications could make administrators. */
const PROHIBITED: ReadonlySet<string> = new Set(["admin"]);

/** A role and the roles that it implies directly. */
export interface Inference {
  readonly prior: Role;
  readonly implied: readonly Role[];
}

export type ImpliedRoleService = ReturnType<typeof createImpliedRoleService>;

export function createImpliedRoleService({ database }: { readonly database: Database }) {
  return {
    async impliedBy(priorRoleId: string): Promise<Inference> {
      const prior = await roleTable.require(database, priorRoleId);
      return { prior, implied: await listImpliedRoles(database, priorRoleId) };
    },

    /** @throws {ImpliedRoleNotFoundError} */
    async getImplied(rule: ImpliedRole): Promise<RolePair> {
      const pair = await requireRoles(database, rule);
      if (!(await hasImpliedRole(database, rule)))
        throw new ImpliedRoleNotFoundError(rule.priorRoleId, rule.impliedRoleId);
      return pair;
    },

    imply: (rule: ImpliedRole): Promise<RolePair> =>
      database.transaction(async (transaction) => {
        const pair = await requireRoles(transaction, rule);
        checkImplicable(pair);
        if (!(await insertImpliedRole(transaction, rule))) throw new ImpliedRoleExistsError();
        return pair;
      }),

    stopImplying: (rule: ImpliedRole): Promise<void> =>
      database.transaction(async (transaction) => {
        await requireRoles(transaction, rule);
        if (!(await deleteImpliedRole(transaction, rule)))
          throw new ImpliedRoleNotFoundError(rule.priorRoleId, rule.impliedRoleId);
      }),

    async listInferences(): Promise<Inference[]> {
      const roles = new Map((await listRolesOfInferences(database)).map((role) => [role.id, role]));
      const found = new Map<Role, Role[]>();
      for (const { priorRoleId, impliedRoleId } of await listInferences(database)) {
        const prior = roles.get(priorRoleId);
        const implied = roles.get(impliedRoleId);
        // A role that is missing was created between the two queries.
        if (prior !== undefined && implied !== undefined)
          found.set(prior, [...(found.get(prior) ?? []), implied]);
      }
      return Array.from(found, ([prior, implied]) => ({ prior, implied }));
    },

    /** Makes one role imply another, if it does not yet. */
    ensureImplied: (prior: Role, implied: Role): Promise<void> =>
      database.transaction(async (transaction) => {
        checkImplicable({ prior, implied });
        await insertImpliedRole(transaction, { priorRoleId: prior.id, impliedRoleId: implied.id });
      }),
  };
}

/** A role and one that it implies. */
export interface RolePair {
  readonly prior: Role;
  readonly implied: Role;
}

async function requireRoles(queries: Queries, rule: ImpliedRole): Promise<RolePair> {
  const prior = await roleTable.require(queries, rule.priorRoleId);
  return { prior, implied: await roleTable.require(queries, rule.impliedRoleId) };
}

function checkImplicable({ prior, implied }: RolePair): void {
  const isWider = prior.domainId === null && implied.domainId !== null;
  if (isWider || PROHIBITED.has(implied.name)) throw new InvalidImpliedRoleError(implied.id);
}
