/** `/v3/users/{id}/groups` and `/v3/groups/{id}/users` */
import { groupView } from "../groups/group-routes.js";
import type { GroupService } from "../groups/group-service.js";
import type { Group } from "../groups/group-store.js";
import { formatTimestamp, type Clock, type Moment } from "../platform/clock.js";
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { ResourceDeps } from "../platform/http/resource.js";
import { noContent } from "../platform/http/resource-route.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
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
  const { users, groups, memberships, links, listLimit, clock } = deps;
  const tags = ["groups"];
  const target = createUserTarget(deps);
  const params = pathOf("group_id", "user_id");
  const path = "/v3/groups/:group_id/users/:user_id";

  server.get(
    "/v3/users/:user_id/groups",
    {
      config: {
        access: { action: "identity:list_groups_for_user", target },
        home: [{ relation: coreRelation("user_groups") }],
      },
      schema: {
        tags,
        summary: "Lists the groups that a user is in",
        params: pathOf("user_id"),
        querystring: queryOf("name", ...PAGE_PARAMETERS),
        response: { 200: MembershipList },
      },
    },
    async ({ params: { user_id: memberId }, query, url, caller }, reply) => {
      await users.getUser(memberId);
      const page = readPage(query, { listLimit });
      const filters = readFilters(query, ["name"]);
      const member = { id: memberId, at: clock.now() };
      const ends = await memberships.endsOf(memberId);
      const readPart = async (part: Page) => {
        const found = await groups.list({ filters, page: part, member, domainId: onlyDomainOf(caller) });
        return found.map((group) => viewOfMembership(group, ends.get(group.id), links));
      };
      return sendPages(reply, "groups", readPart, { page, links, url });
    },
  );

  server.get(
    "/v3/groups/:group_id/users",
    {
      config: {
        access: { action: "identity:list_users_in_group", target },
        home: [{ relation: coreRelation("group_users") }],
      },
      schema: {
        tags,
        summary: "Lists the users in a group",
        params: pathOf("group_id"),
        querystring: UserListQuery,
        response: { 200: UserList },
      },
    },
    async ({ params: { group_id: groupId }, query, url, caller }, reply) => {
      await groups.getGroup(groupId);
      const page = readPage(query, { listLimit });
      const conditions = { ...readUserFilters(query), filters: readFilters(query, USER_FILTERS) };
      const group = { id: groupId, at: clock.now() };
      const readPart = async (part: Page) => {
        const domainId = onlyDomainOf(caller);
        const found = await users.list({ ...conditions, page: part, group, domainId });
        return found.map((user) => userView(user, links));
      };
      return sendPages(reply, "users", readPart, { page, links, url });
    },
  );

  server.get(
    path,
    {
      config: {
        access: { action: "identity:check_user_in_group", target },
        home: [{ relation: coreRelation("group_user") }],
      },
      schema: { tags, summary: "Checks that a user is in a group", params },
    },
    async (request, reply) => noContent(reply, memberships.check(membershipOf(request.params))),
  );

  server.put(
    path,
    {
      config: { access: { action: "identity:add_user_to_group", target } },
      schema: { tags, summary: "Adds a user to a group", params },
    },
    async (request, reply) => noContent(reply, memberships.add(membershipOf(request.params))),
  );

  server.delete(
    path,
    {
      config: { access: { action: "identity:remove_user_from_group", target } },
      schema: { tags, summary: "Removes a user from a group", params },
    },
    async (request, reply) => noContent(reply, memberships.remove(membershipOf(request.params))),
  );
}

function membershipOf(params: { readonly group_id: string; readonly user_id: string }) {
  return { groupId: params.group_id, userId: params.user_id };
}

/** @param endsAt `undefined` for a permanent membership. */
function viewOfMembership(group: Group, endsAt: Moment | undefined, links: Links) {
  const view = groupView(group, links);
  return { ...view, membership_expires_at: endsAt === undefined ? null : formatTimestamp(endsAt) };
}
