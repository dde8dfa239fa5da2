/** `/v3/users`, and what lies below: a user's password, and the groups that users are in. */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { Clock } from "../platform/clock.js";
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { GroupService } from "../groups/group-service.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import { domainForNew, domainInBody, onlyDomainOf } from "../policy/own-domain.js";
import { addMembershipRoutes } from "./membership-routes.js";
import type { MembershipService } from "./membership-service.js";
import { readUserConditions } from "./user-conditions.js";
import { NewUser, PasswordChange, UserAnswer, UserChange, UserList, UserQuery } from "./user-schema.js";
import type { UserService } from "./user-service.js";
import type { User } from "./user-store.js";
import { createUserTarget } from "./user-targets.js";
import { federatedView, viewOfUser } from "./user-view.js";

/** Changes a user's own password, which proves who asks. */
export type ChangePassword = (
  userId: string,
  change: { readonly from: string; readonly to: string; readonly address: string },
) => Promise<void>;

export interface UserRoutesDeps {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
  readonly changePassword: ChangePassword;
  readonly links: Links;
  readonly listLimit: number | undefined;
  readonly clock: Clock;
}

export function addUserRoutes(server: HttpServer, deps: UserRoutesDeps): void {
  const { users, changePassword, links, listLimit } = deps;
  const tags = ["users"];
  const params = pathOf("user_id");
  const target = createUserTarget(deps);
  const show = async (user: User) => {
    const federated = federatedView(await users.identitiesOf(user.id));
    return { ...viewOfUser(user, links), ...(federated.length > 0 && { federated }) };
  };

  server.get(
    "/v3/users",
    {
      config: {
        access: {
          action: "identity:list_users",
          target({ caller }) {
            const id = onlyDomainOf(caller);
            return id === undefined ? {} : { domain: { id } };
          },
        },
        home: [{ relation: coreRelation("users") }],
      },
      schema: { tags, summary: "Lists users", querystring: UserQuery, response: { 200: UserList } },
    },
    async ({ query, url, caller }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const found = await users.list({
          ...readUserConditions(query),
          page: part,
          domainId: onlyDomainOf(caller),
        });
        return found.map((user) => viewOfUser(user, links));
      };
      return sendPages(reply, "users", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/users",
    {
      config: {
        access: {
          action: "identity:create_user",
          target(request) {
            const domainId = domainInBody(request, "user");
            return domainId === undefined ? {} : { user: { id: "", domainId } };
          },
        },
      },
      schema: { tags, summary: "Creates a user", body: NewUser, response: { 201: UserAnswer } },
    },
    async ({ body: { user }, caller }, reply) => {
      const draft = { ...user, domain_id: user.domain_id ?? domainForNew(caller) };
      const created = await users.create(draft, { onlyDomainId: onlyDomainOf(caller) });
      return reply.code(201).send({ user: await show(created) });
    },
  );

  server.get(
    "/v3/users/:user_id",
    {
      config: { access: { action: "identity:get_user", target }, home: [{ relation: coreRelation("user") }] },
      schema: { tags, summary: "Shows a user", params, response: { 200: UserAnswer } },
    },
    async ({ params: { user_id: id } }) => ({ user: await show(await users.getUser(id)) }),
  );

  server.patch(
    "/v3/users/:user_id",
    {
      config: { access: { action: "identity:update_user", target } },
      schema: { tags, summary: "Changes a user", params, body: UserChange, response: { 200: UserAnswer } },
    },
    async ({ params: { user_id: id }, body, caller }) => {
      const user = await users.update(id, body.user, { onlyDomainId: onlyDomainOf(caller) });
      // Keystone shows these twice where they may have changed.
      return { user: { ...(await show(user)), extra: user.extra } };
    },
  );

  server.delete(
    "/v3/users/:user_id",
    {
      config: { access: { action: "identity:delete_user", target } },
      schema: { tags, summary: "Deletes a user", params },
    },
    async ({ params: { user_id: id } }, reply) => {
      await users.delete(id);
      return reply.code(204).send();
    },
  );

  server.post(
    "/v3/users/:user_id/password",
    {
      config: { access: "public", home: [{ relation: coreRelation("user_change_password") }] },
      onResponse: auditPasswordChange,
      schema: { tags, summary: "Changes the user's own password", params, body: PasswordChange },
    },
    async ({ params: { user_id: id }, body: { user }, clientAddress: address }, reply) => {
      await changePassword(id, { from: user.original_password, to: user.password, address });
      return reply.code(204).send();
    },
  );

  addMembershipRoutes(server, deps);
}

/** Nobody has a token here; who knows the password is the user. */
async function auditPasswordChange(request: FastifyRequest, { statusCode }: FastifyReply): Promise<void> {
  const target = request.params as Record<string, string>;
  const outcome = outcomeOf(statusCode);
  writeAudit(request, statusCode, { action: "change_password", target, outcome });
}
