/** `/v3/users`, and the memberships of groups. */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import { groupView } from "../groups/group-routes.js";
import type { GroupService } from "../groups/group-service.js";
import type { ShownGroup } from "../groups/group.js";
import { formatTimestamp, formatWithoutZone, type Moment } from "../platform/clock.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../platform/http/route.js";
import { bodyOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import { quoted } from "../platform/text/quoted-value.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import {
  domainForNew,
  domainInBody,
  onlyDomainOf,
  ownDomainTarget,
  type PolicyTarget,
} from "../policy/caller.js";
import type { MembershipService } from "./membership-service.js";
import type { UserDetails } from "./user-details.js";
import { readUserFilters, USER_FILTERS } from "./user-filters.js";
import {
  NewUser,
  PasswordChange,
  PasswordReset,
  UserChange,
  UserListQuery,
  UserView,
  MembershipList,
  UserList,
} from "./user-schema.js";
import type { UserService } from "./user-service.js";
import type { User, FederatedIdentity } from "./user-store.js";

/** Changes a user's own password. The current one authenticates the caller. */
export type ChangePassword = (
  userId: string,
  change: { readonly from: string; readonly to: string; readonly address: string },
) => Promise<void>;

export interface UserRoutesDeps extends ResourceDeps, Pick<Platform, "clock"> {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
  readonly changePassword: ChangePassword;
}

export function addUserRoutes(server: HttpServer, deps: UserRoutesDeps): void {
  const { users, changePassword, links } = deps;
  const target = createUserTarget(deps);
  const view = async (user: User) => {
    const federated = federatedView(await users.identitiesOf(user.id));
    return { ...userView(user, links), ...(federated.length > 0 && { federated }) };
  };
  /** Names methods that a change of the rules leaves no login with, such as a misspelled one. Keystone's clients expect no error. */
  async function warnOfRules(
    { log }: Pick<FastifyRequest, "log">,
    user: User,
    { options }: { readonly options?: { readonly multi_factor_auth_rules?: unknown } | undefined },
  ): Promise<void> {
    if (!options?.multi_factor_auth_rules) return;
    const methods = await users.unavailableMethods(user);
    if (methods.length > 0)
      log.warn(
        { user: user.id, methods: methods.map((method) => quoted(method)) },
        "multi_factor_auth_rules has methods that are neither offered nor the id of a protocol: rules with them are never satisfied",
      );
  }
  const resource = createResource(server, deps, {
    path: "/v3/users",
    id: "user_id",
    name: "user",
    schema: UserView,
    view: (user: User) => userView(user, links),
  });
  resource.list({
    target: ownDomainTarget,
    query: UserListQuery,
    filters: USER_FILTERS,
    sortKeys: ["name", "domain_id", "enabled"],
    pageSize: ({ query, caller }) => users.pageSizeOf(query["domain_id"] ?? onlyDomainOf(caller)),
    read: (query, request) => users.list({ ...query, ...conditionsOf(request) }),
    count: (query, request) => users.count({ ...query, ...conditionsOf(request) }),
    details: async (listed) =>
      new Map([...(await users.details(listed))].map(([id, facts]) => [id, detailsView(facts)])),
  });
  resource.create({
    target(request) {
      const domainId = domainInBody(request, "user");
      return domainId === undefined ? {} : { user: { id: "", domainId } };
    },
    body: NewUser,
    async create(draft, request) {
      const { caller } = request;
      const user = await users.create(
        { ...draft, domain_id: draft.domain_id ?? domainForNew(caller) },
        { onlyDomainId: onlyDomainOf(caller) },
      );
      await warnOfRules(request, user, draft);
      return user;
    },
    view,
  });
  resource.show({ target, read: (id) => users.getUser(id), view });
  resource.update({
    target,
    body: UserChange,
    async update(id, change, request) {
      const user = await users.update(id, change, { onlyDomainId: onlyDomainOf(request.caller) });
      await warnOfRules(request, user, change);
      return user;
    },
    // As in Keystone, the response to a change has the client's attributes twice.
    view: async (user) => ({ ...(await view(user)), extra: user.extra }),
  });
  resource.delete({ target, delete: (id) => users.delete(id) });

  const route = createRoutes(server, "users");
  route("POST", "/v3/users/:user_id/password/reset", {
    access: { action: "identity:reset_password", target },
    summary: "Has a user change the password before the next login, and revokes its tokens",
    body: PasswordReset,
    response: bodyOf("user", UserView),
    handle: async ({ params: { user_id: id }, body: { user } }) => ({
      user: await view(await users.resetPassword(id, user.password)),
    }),
  });
  route("POST", "/v3/users/:user_id/password", {
    access: "public",
    isPublicChange: true,
    home: "user_change_password",
    atEnd: auditPasswordChange,
    login: "password change",
    summary: "Changes the user's own password",
    body: PasswordChange,
    handle: ({ params: { user_id: id }, body: { user }, clientAddress: address }) =>
      changePassword(id, { from: user.original_password, to: user.password, address }),
  });

  addMembershipRoutes(server, deps);
}

function conditionsOf({ query, caller }: Pick<RouteRequest, "query" | "caller">) {
  return { ...readUserFilters(query), domainId: onlyDomainOf(caller) };
}

function detailsView({ source, idpIds, lastActiveAt }: UserDetails) {
  return {
    source,
    idp_ids: [...idpIds],
    // The time of the day is that of the first login of the day.
    last_active_at: lastActiveAt === null ? null : formatTimestamp(lastActiveAt).slice(0, 10),
  };
}

/** The route is public, so that the guard writes no audit record. */
function auditPasswordChange(request: FastifyRequest, { statusCode }: FastifyReply): void {
  const target = request.params as Record<string, string>;
  const outcome = outcomeOf(statusCode);
  writeAudit(request, statusCode, { action: "change_password", target, outcome });
}

export interface MembershipRoutesDeps extends ResourceDeps, Pick<Platform, "clock"> {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
}

/** `/v3/users/{id}/groups` and `/v3/groups/{id}/users` */
function addMembershipRoutes(server: HttpServer, deps: MembershipRoutesDeps): void {
  const { users, groups, memberships, links, clock } = deps;
  const route = createRoutes(server, "groups");
  const target = createUserTarget(deps);
  const path = "/v3/groups/:group_id/users/:user_id";

  route("GET", "/v3/users/:user_id/groups", {
    access: { action: "identity:list_groups_for_user", target },
    home: "user_groups",
    summary: "Lists the groups that a user is in",
    query: queryOf("name", ...PAGE_PARAMETERS),
    response: MembershipList,
    handle: listHandler(deps, "groups", {
      filters: ["name"],
      async open({ params: { user_id: id }, caller }) {
        await users.getUser(id);
        const member = { id, at: clock.now() };
        const ends = await memberships.endsOf(id);
        return async (query) => {
          const found = await groups.list({ ...query, member, domainId: onlyDomainOf(caller) });
          return found.map((group) => viewOfMembership(group, ends.get(group.id), links));
        };
      },
    }),
  });
  route("GET", "/v3/groups/:group_id/users", {
    access: { action: "identity:list_users_in_group", target },
    home: "group_users",
    summary: "Lists the users in a group",
    query: UserListQuery,
    response: UserList,
    handle: listHandler(deps, "users", {
      filters: USER_FILTERS,
      pageSize: async ({ params: { group_id: id } }) =>
        users.pageSizeOf((await groups.findGroup({ id }))?.domainId),
      async open({ params: { group_id: id }, query: parameters, caller }) {
        await groups.getGroup(id);
        const conditions = { group: { id, at: clock.now() }, domainId: onlyDomainOf(caller) };
        return async (query) => {
          const found = await users.list({ ...query, ...readUserFilters(parameters), ...conditions });
          return found.map((user) => userView(user, links));
        };
      },
    }),
  });
  route("GET", path, {
    access: { action: "identity:check_user_in_group", target },
    home: "group_user",
    summary: "Checks that a user is in a group",
    handle: ({ params }) => memberships.check(membershipOf(params)),
  });
  route("PUT", path, {
    access: { action: "identity:add_user_to_group", target },
    summary: "Adds a user to a group",
    handle: ({ params }) => memberships.add(membershipOf(params)),
  });
  route("DELETE", path, {
    access: { action: "identity:remove_user_from_group", target },
    summary: "Removes a user from a group",
    handle: ({ params }) => memberships.remove(membershipOf(params)),
  });
}

function membershipOf(params: { readonly group_id: string; readonly user_id: string }) {
  return { groupId: params.group_id, userId: params.user_id };
}

/** @param endsAt `undefined` for a permanent membership. */
function viewOfMembership(group: ShownGroup, endsAt: Moment | undefined, links: Links) {
  const view = groupView(group, links);
  return { ...view, membership_expires_at: endsAt === undefined ? null : formatTimestamp(endsAt) };
}

export interface TargetDeps {
  readonly users: {
    findUser(reference: { id: string }): Promise<User | undefined>;
  };
  readonly groups: { findGroup(reference: { id: string }): Promise<{ domainId: string } | undefined> };
}

/** Policy targets of requests for users: the user and the group in the path, if they exist. */
function createUserTarget({ users, groups }: TargetDeps) {
  return async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { user_id: userId, group_id: groupId } = params as { user_id?: string; group_id?: string };
    const user = userId === undefined ? undefined : await users.findUser({ id: userId });
    const group = groupId === undefined ? undefined : await groups.findGroup({ id: groupId });
    return { ...(user && { user: userTarget(user) }), ...(group && { group }) };
  };
}

/** A directory is asked again for what rules of policy files name. */
function userTarget(user: User): NonNullable<PolicyTarget["user"]> {
  const { id, domainId, isOfDirectory = false } = user;
  return { id, domainId, ...(!isOfDirectory && { members: () => userMembers(user) }) };
}

/** Users in responses. */
function userView(user: User, links: Links) {
  return { ...userMembers(user), links: { self: links.self("/v3/users", user.id) } };
}

function userMembers(user: User) {
  const { id, name, domainId, enabled, defaultProjectId, passwordExpiresAt, options, extra } = user;
  return {
    ...extra,
    id,
    name,
    domain_id: domainId,
    enabled,
    ...(defaultProjectId === null ? {} : { default_project_id: defaultProjectId }),
    password_expires_at: passwordExpiresAt === null ? null : formatWithoutZone(passwordExpiresAt),
    options,
  };
}

/** The identities of a user, by provider. */
function federatedView(identities: readonly FederatedIdentity[]) {
  const providers = new Map<string, { protocol_id: string; unique_id: string }[]>();
  for (const { idpId, protocolId, uniqueId } of identities)
    providers.set(idpId, [...(providers.get(idpId) ?? []), { protocol_id: protocolId, unique_id: uniqueId }]);
  return Array.from(providers, ([idp_id, protocols]) => ({ idp_id, protocols }));
}
