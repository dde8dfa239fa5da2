/** `/v3/users/{id}/groups` and `/v3/groups/{id}/users` */
import { groupView } from "../groups/group-routes.js";
import type { GroupService } from "../groups/group-service.js";
import type { Group } from "../groups/group-store.js";
import { formatTimestamp, type Clock, type Moment } from "../platform/clock.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import { onlyDomainOf } from "../policy/own-domain.js";
import type { MembershipService } from "./membership-service.js";
import { readUserFilters, USER_FILTERS } from "./user-filters.js";
import { MembershipList, UserList, UserListQuery } from "./user-schema.js";
import type { UserService } from "./user-service.js";
import { createUserTarget } from "./user-targets.js";
import { userView } from "./user-view.js";

export interface MembershipRoutesDeps extends ResourceDeps {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
  readonly clock: Clock;
}

export function addMembershipRoutes(server: HttpServer, deps: MembershipRoutesDeps): void {
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
function viewOfMembership(group: Group, endsAt: Moment | undefined, links: Links) {
  const view = groupView(group, links);
  return { ...view, membership_expires_at: endsAt === undefined ? null : formatTimestamp(endsAt) };
}
