/** The rules for roles that imply others, and their routes. Cycles are allowed, as in Keystone. */
import type { Platform } from "../area.js";
import type { Database, Queries } from "../platform/database/database.js";
import { coreParameter, coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import {
  deleteImpliedRole,
  hasImpliedRole,
  insertImpliedRole,
  listImpliedRoles,
  listInferences,
  listRolesOfInferences,
  type ImpliedRole,
} from "./implied-role-store.js";
import {
  ImpliedRoleExistsError,
  ImpliedRoleNotFoundError,
  InvalidImpliedRoleError,
  PROHIBITED_IMPLIED_ROLES,
  roleTable,
  ImpliedRoleResponse,
  ImpliedRolesResponse,
  InferenceList,
  type Role,
} from "./role.js";

/** A role and the roles that it implies directly. */
export interface Inference {
  readonly prior: Role;
  readonly implied: readonly Role[];
}

type ImpliedRoleService = ReturnType<typeof createImpliedRoleService>;

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
  if (isWider || PROHIBITED_IMPLIED_ROLES.has(implied.name)) throw new InvalidImpliedRoleError(implied.id);
}

const PARAMETERS = { prior_role_id: coreParameter("role_id"), implied_role_id: coreParameter("role_id") };

/** `/v3/roles/{prior}/implies` and `/v3/role_inferences` */
export function addImpliedRoleRoutes(
  server: HttpServer,
  { impliedRoles, links }: Pick<Platform, "links"> & { readonly impliedRoles: ImpliedRoleService },
): void {
  const route = createRoutes(server, "roles");
  const path = "/v3/roles/:prior_role_id/implies/:implied_role_id";
  const refer = ({ id, name }: Role) => ({ id, links: { self: links.self("/v3/roles", id) }, name });
  const showAll = ({ prior, implied }: Inference) => ({
    prior_role: refer(prior),
    implies: implied.map(refer),
  });
  const show = ({ prior, implied }: RolePair) => ({
    role_inference: { prior_role: refer(prior), implies: refer(implied) },
    links: { self: links.self("/v3/roles", prior.id, "implies", implied.id) },
  });

  route("GET", "/v3/roles/:prior_role_id/implies", {
    access: "identity:list_implied_roles",
    home: [{ relation: coreRelation("implied_roles"), parameters: PARAMETERS }],
    summary: "Lists the roles that a role implies",
    response: ImpliedRolesResponse,
    handle: async ({ params: { prior_role_id: id } }) => ({
      role_inference: showAll(await impliedRoles.impliedBy(id)),
      links: { self: links.self("/v3/roles", id, "implies") },
    }),
  });
  route("PUT", path, {
    access: "identity:create_implied_role",
    summary: "Has a role imply another",
    status: 201,
    response: ImpliedRoleResponse,
    handle: async ({ params }) => show(await impliedRoles.imply(ruleOf(params))),
  });
  // Before GET, for which fastify would add a HEAD of its own.
  route("HEAD", path, {
    access: "identity:check_implied_role",
    summary: "Checks that a role implies another",
    handle: ({ params }) => impliedRoles.getImplied(ruleOf(params)),
  });
  route("GET", path, {
    access: "identity:get_implied_role",
    home: [{ relation: coreRelation("implied_role"), parameters: PARAMETERS }],
    summary: "Shows that a role implies another",
    response: ImpliedRoleResponse,
    handle: async ({ params }) => show(await impliedRoles.getImplied(ruleOf(params))),
  });
  route("DELETE", path, {
    access: "identity:delete_implied_role",
    summary: "Has a role no longer imply another",
    handle: ({ params }) => impliedRoles.stopImplying(ruleOf(params)),
  });
  route("GET", "/v3/role_inferences", {
    access: "identity:list_role_inference_rules",
    home: "role_inferences",
    summary: "Lists all roles that imply others",
    response: InferenceList,
    handle: async () => ({ role_inferences: (await impliedRoles.listInferences()).map(showAll) }),
  });
}

function ruleOf(params: { readonly prior_role_id: string; readonly implied_role_id: string }) {
  return { priorRoleId: params.prior_role_id, impliedRoleId: params.implied_role_id };
}
