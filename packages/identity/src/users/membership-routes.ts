/** `/v3/users/{id}/groups` and `/v3/groups/{id}/users` */
import type { GroupService } from "../groups/group-service.js";
import type { Group } from "../groups/group-store.js";
import { viewOfGroup } from "../groups/group-view.js";
import type { Clock, Moment } from "../platform/clock.js";
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import { formatTimestamp } from "../platform/text/timestamp.js";
import { onlyDomainOf } from "../policy/own-domain.js";
import type { MembershipService } from "./membership-service.js";
import { readUserConditions } from "./user-conditions.js";
import { MembershipList, UserList, UserQuery } from "./user-schema.js";
import type { UserService } from "./user-service.js";
import { createUserTarget } from "./user-targets.js";
import { viewOfUser } from "./user-view.js";

export interface MembershipRoutesDeps {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
  readonly links: Links;
  readonly listLimit: number | undefined;
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
        querystring: UserQuery,
        response: { 200: UserList },
      },
    },
    async ({ params: { group_id: groupId }, query, url, caller }, reply) => {
      await groups.getGroup(groupId);
      const page = readPage(query, { listLimit });
      const conditions = readUserConditions(query);
      const group = { id: groupId, at: clock.now() };
      const readPart = async (part: Page) => {
        const domainId = onlyDomainOf(caller);
        const found = await users.list({ ...conditions, page: part, group, domainId });
        return found.map((user) => viewOfUser(user, links));
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
      schema: { tags, summary: "Says whether a user is in a group", params },
    },
    async ({ params: { group_id: groupId, user_id: userId } }, reply) => {
      await memberships.check({ groupId, userId });
      return reply.code(204).send();
    },
  );

  server.put(
    path,
    {
      config: { access: { action: "identity:add_user_to_group", target } },
      schema: { tags, summary: "Adds a user to a group", params },
    },
    async ({ params: { group_id: groupId, user_id: userId } }, reply) => {
      await memberships.add({ groupId, userId });
      return reply.code(204).send();
    },
  );

  server.delete(
    path,
    {
      config: { access: { action: "identity:remove_user_from_group", target } },
      schema: { tags, summary: "Removes a user from a group", params },
    },
    async ({ params: { group_id: groupId, user_id: userId } }, reply) => {
      await memberships.remove({ groupId, userId });
      return reply.code(204).send();
    },
  );
}

/** @param endsAt `undefined` where the membership lasts. */
function viewOfMembership(group: Group, endsAt: Moment | undefined, links: Links) {
  const view = viewOfGroup(group, links);
  return { ...view, membership_expires_at: endsAt === undefined ? null : formatTimestamp(endsAt) };
}
