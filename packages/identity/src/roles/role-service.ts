/** The rules for roles. */
import { extraOf, type Attributes } from "../platform/attributes.js";
import type { Database, Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { checkDeletable, checkMutable } from "../platform/immutable.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import { RoleDomainError, RoleExistsError, RoleNotFoundError } from "./role-errors.js";
import type { NewRole, RoleChange } from "./role-schema.js";
import {
  deleteRole,
  findGlobalRole,
  findRole,
  findRolesByName,
  insertRole,
  listRoles,
  updateRole,
  type Role,
  type RoleQuery,
} from "./role-store.js";

const KNOWN = ["id", "name", "description", "domain_id", "options", "links"];

export interface RoleServiceDeps {
  readonly database: Database;
  readonly newId: NewId;
  readonly projects: {
    /** Throws where there is none. */
    getDomain(id: string): Promise<unknown>;
  };
  /** Called in the transaction that deletes a role, before it is deleted. */
  readonly onRoleDeleted: (transaction: Queries, roleId: string) => Promise<void>;
}

export type RoleService = ReturnType<typeof createRoleService>;

/** Roles that are remembered at most. */
const MAX_ROLES = 1000;

export function createRoleService({ database, newId, projects, onRoleDeleted }: RoleServiceDeps) {
  const remembered = createRevisionCache<Role>({
    revision: () => database.revision("facts"),
    maxEntries: MAX_ROLES,
  });

  return {
    listRoles: (query: RoleQuery): Promise<Role[]> => listRoles(database, query),

    /** @throws {RoleNotFoundError} */
    getRole: (id: string): Promise<Role> => remembered.get(id, () => requireRole(database, id)),

    /** Of all domains, and of each of them. */
    findRolesByName: (names: readonly string[]): Promise<Role[]> => findRolesByName(database, names),

    async createRole(draft: NewRole): Promise<Role> {
      const role: Role = {
        id: newId(),
        name: draft.name,
        domainId: draft.domain_id ?? null,
        description: draft.description ?? null,
        options: withOptions({}, draft.options),
        extra: extraOf(draft, KNOWN),
      };
      if (role.domainId !== null) await projects.getDomain(role.domainId);
      return database.transaction((transaction) => addRole(transaction, role), { changes: [] });
    },

    async updateRole(id: string, change: RoleChange): Promise<Role> {
      if (change.id !== undefined && change.id !== id) throw new InvalidError("Cannot change ID");
      return database.transaction(async (transaction) => {
        const role = await requireRole(transaction, id);
        checkMutable({ kind: "role", ...role }, change);
        if (change.domain_id !== undefined && change.domain_id !== role.domainId) throw new RoleDomainError();
        const changed: Role = {
          ...role,
          name: change.name ?? role.name,
          description: change.description === undefined ? role.description : change.description,
          options: withOptions(role.options, change.options),
          extra: { ...role.extra, ...extraOf(change, KNOWN) },
        };
        if (!(await updateRole(transaction, changed))) throw new RoleExistsError(changed);
        return changed;
      });
    },

    /** Takes it from all who have it. Their tokens stay good for what other roles they have in them, as in Keystone. */
    deleteRole: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        const role = await requireRole(transaction, id);
        checkDeletable({ kind: "role", ...role });
        await onRoleDeleted(transaction, id);
        await deleteRole(transaction, id);
      }),

    /** The role of all domains that has this name, created if there is none. */
    ensureRole: ({ name, options = {} }: RoleWish): Promise<Role> =>
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

/** A role that there should be. */
export interface RoleWish {
  readonly name: string;
  readonly options?: Attributes;
}

async function addRole(transaction: Queries, role: Role): Promise<Role> {
  if (!(await insertRole(transaction, role))) throw new RoleExistsError(role);
  return role;
}

/** @throws {RoleNotFoundError} */
export async function requireRole(queries: Queries, id: string): Promise<Role> {
  const role = await findRole(queries, id);
  if (role === undefined) throw new RoleNotFoundError(id);
  return role;
}

/** Options of `null` are taken away. */
function withOptions(options: Attributes, change: Attributes = {}): Attributes {
  const entries = Object.entries({ ...options, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}
