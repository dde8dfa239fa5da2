/** The rules for roles. */
import type { Platform } from "../area.js";
import {
  changedOptions,
  checkSameId,
  extraOf,
  checkDeletable,
  checkMutable,
  type Attributes,
} from "../platform/attributes.js";
import type { Transaction } from "../platform/database/database.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import {
  RoleDomainError,
  RoleExistsError,
  ROLE_MEMBERS,
  findGlobalRole,
  findRolesByName,
  countRoles,
  listRoles,
  roleTable,
  type NewRole,
  type RoleChange,
  type Role,
  type RoleQuery,
} from "./role.js";

export interface RoleServiceDeps extends Pick<Platform, "database" | "newId"> {
  readonly projects: {
    /** @throws {NotFoundError} */
    getDomain(id: string): Promise<unknown>;
  };
  /** Called in the transaction that deletes a role, before it is deleted. */
  readonly onRoleDeleted: (transaction: Transaction, roleId: string) => Promise<void>;
}

export type RoleService = ReturnType<typeof createRoleService>;

/** Roles in the cache. */
const MAX_CACHED_ROLES = 1000;

export function createRoleService({ database, newId, projects, onRoleDeleted }: RoleServiceDeps) {
  const cache = createRevisionCache<Role>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_CACHED_ROLES,
  });

  return {
    listRoles: (query: RoleQuery): Promise<Role[]> => listRoles(database.forLists, query),

    /** How many roles a list has, on all its pages. */
    countRoles: (query: Omit<RoleQuery, "page">): Promise<number> => countRoles(database.forLists, query),

    /** @throws {RoleNotFoundError} */
    getRole: async (id: string): Promise<Role> => cache.get(id, () => roleTable.require(database, id)),

    /** Global roles and roles of domains. */
    findRolesByName: (names: readonly string[]): Promise<Role[]> => findRolesByName(database, names),

    createRole: async (draft: NewRole): Promise<Role> => {
      const role: Role = {
        id: newId(),
        name: draft.name,
        domainId: draft.domain_id ?? null,
        description: draft.description ?? null,
        options: changedOptions({}, draft.options),
        extra: extraOf(draft, ROLE_MEMBERS),
      };
      if (role.domainId !== null) await projects.getDomain(role.domainId);
      return database.transaction((transaction) => addRole(transaction, role), { changes: [] });
    },

    updateRole: async (id: string, change: RoleChange): Promise<Role> => {
      checkSameId(id, change);
      return database.transaction(async (transaction) => {
        const role = await roleTable.require(transaction, id);
        checkMutable({ kind: "role", ...role }, change);
        if (change.domain_id !== undefined && change.domain_id !== role.domainId) throw new RoleDomainError();
        const changed: Role = {
          ...role,
          name: change.name ?? role.name,
          description: change.description === undefined ? role.description : change.description,
          options: changedOptions(role.options, change.options),
          extra: { ...role.extra, ...extraOf(change, ROLE_MEMBERS) },
        };
        await roleTable.update(transaction, changed, () => new RoleExistsError(changed));
        return changed;
      });
    },

    /** Deletes its grants too. As in Keystone, tokens stay valid with their other roles. */
    deleteRole: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        const role = await roleTable.require(transaction, id);
        checkDeletable({ kind: "role", ...role });
        await onRoleDeleted(transaction, id);
        await roleTable.delete(transaction, id);
      }),

    /** The global role of this name, created if it does not exist. */
    ensureRole: ({ name, options = {} }: EnsuredRole): Promise<Role> =>
      database.transaction(
        async (transaction) =>
          (await findGlobalRole(transaction, name)) ??
          addRole(transaction, {
            id: newId(),
            name,
            domainId: null,
            description: null,
            options,
            extra: {},
          }),
        { changes: [] },
      ),
  };
}

/** A role that has to exist. */
export interface EnsuredRole {
  readonly name: string;
  readonly options?: Attributes;
}

async function addRole(transaction: Transaction, role: Role): Promise<Role> {
  await roleTable.insert(transaction, role, () => new RoleExistsError(role));
  return role;
}
