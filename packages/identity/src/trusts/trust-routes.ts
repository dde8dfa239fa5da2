/** `/v3/OS-TRUST/trusts` */
import type { FastifyRequest } from "fastify";

import { formatTimestamp, withMicros } from "../platform/clock.js";
import { required } from "../platform/errors.js";
import { homeIn } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { partOf, readPage } from "../platform/http/lists/paging.js";
import type { Query } from "../platform/http/query.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { AccessCheck } from "../policy/is-allowed.js";
import { roleView } from "../roles/role-routes.js";
import { RoleView } from "../roles/role.js";
import { type FullTrust, type TrustService } from "./trust-service.js";
import { TRUST_FILTERS } from "./trust-store.js";
import { TrustedRoleNotFoundError, NewTrust, TrustedRoleResponse, TrustView, type Trust } from "./trust.js";

const PLACE = { prefix: "/v3/OS-TRUST", putReplaces: false, homeName: "OS-TRUST" } as const;
const PATH = "/v3/OS-TRUST/trusts";

export function addTrustRoutes(
  server: HttpServer,
  { trusts, ...deps }: ResourceDeps & { readonly trusts: TrustService },
): void {
  const { links } = deps;
  const resource = createResource(server, deps, {
    path: PATH,
    id: "trust_id",
    name: "trust",
    schema: TrustView,
    view: (trust: Trust | FullTrust) => trustView(trust, links),
    place: PLACE,
  });

  /** The parties of the trust in the path. Unknown trusts are 404 for every caller, as in Keystone. */
  async function parties({ params, caller }: FastifyRequest): Promise<PolicyTarget> {
    rejectDelegated("trusts", caller);
    const { trust_id: id } = params as { readonly trust_id: string };
    const { trustorId, trusteeId } = await trusts.getParties(id);
    return { trust: { trustorId, trusteeId } };
  }

  resource.list({
    access: { choose: listAccess },
    filters: TRUST_FILTERS,
    read: trusts.list,
  });
  resource.create({
    target: newParties,
    body: NewTrust,
    create: (draft, { caller }) => trusts.create(draft, caller),
  });
  resource.show({ target: parties, read: trusts.get });
  resource.delete({
    summary: "Deletes a trust and those redelegated from it",
    target: parties,
    delete: (id, { caller }) => trusts.delete(id, caller),
  });

  const add = createRoutes(server, "trusts");
  add("GET", `${PATH}/:trust_id/roles`, {
    access: { action: "identity:list_roles_for_trust", target: parties },
    home: homeIn(PLACE, "trust_roles", "trust_id"),
    summary: "Lists the roles of a trust",
    query: queryOf(...PAGE_PARAMETERS),
    response: listOf("roles", RoleView),
    handle: async ({ params: { trust_id: id }, query }) => {
      const page = readPage(query, { defaultPageSize: undefined });
      const roles = partOf((await trusts.get(id)).roles, page, (role) => role.id).slice(0, page.limit);
      return { roles: roles.map((role) => roleView(role, links)), links: rolesLinks(id, links) };
    },
  });
  add("GET", `${PATH}/:trust_id/roles/:role_id`, {
    access: { action: "identity:get_role_for_trust", target: parties },
    home: homeIn(PLACE, "trust_role", "trust_id", "role_id"),
    summary: "Shows a role of a trust",
    response: TrustedRoleResponse,
    handle: async ({ params: { trust_id: trustId, role_id: roleId } }) => {
      const { roles } = await trusts.get(trustId);
      const role = await required(
        Promise.resolve(roles.find(({ id }) => id === roleId)),
        () => new TrustedRoleNotFoundError(roleId),
      );
      return { role: roleView(role, links) };
    },
  });
}

/** Trustors and trustees may list their own trusts. */
function listAccess({ query, caller }: FastifyRequest): AccessCheck {
  rejectDelegated("trusts", caller);
  const { trustor_user_id: trustorId, trustee_user_id: trusteeId } = query as Query;
  if (trustorId !== undefined)
    return { action: "identity:list_trusts_for_trustor", target: { trust: { trustorId } } };
  if (trusteeId !== undefined)
    return { action: "identity:list_trusts_for_trustee", target: { trust: { trusteeId } } };
  return { action: "identity:list_trusts" };
}

/** The trustor that the body names. A body without one is rejected by its schema, and is the caller's until then. */
function newParties({ body, caller }: FastifyRequest): PolicyTarget {
  rejectDelegated("trusts", caller);
  const { trust } = (body ?? {}) as { readonly trust?: { readonly trustor_user_id?: unknown } | null };
  const trustorId = trust?.trustor_user_id;
  return { trust: { trustorId: typeof trustorId === "string" ? trustorId : caller.userId } };
}

function trustView(trust: Trust | FullTrust, links: Links) {
  const { id, trustorId, trusteeId, projectId, impersonation, expiresAt, expiresMicros, extra } = trust;
  return {
    ...extra,
    id,
    trustor_user_id: trustorId,
    trustee_user_id: trusteeId,
    project_id: projectId,
    impersonation,
    expires_at: expiresAt === null ? null : formatTimestamp(withMicros(expiresAt, expiresMicros)),
    remaining_uses: trust.remainingUses,
    redelegation_count: trust.redelegationCount,
    redelegated_trust_id: trust.redelegatedTrustId,
    deleted_at: null,
    ...("roles" in trust && {
      roles: trust.roles.map((role) => roleView(role, links)),
      roles_links: rolesLinks(id, links),
    }),
    links: { self: links.self(PATH, id) },
  };
}

/** As Keystone's, the link leads nowhere: it lacks a part of the path. */
function rolesLinks(id: string, links: Links) {
  return { self: links.self("/v3", id, "roles"), next: null, previous: null };
}
