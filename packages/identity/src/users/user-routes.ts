/** `/v3/users`, `/v3/users/{user_id}/password`, and the routes of memberships. */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { Clock } from "../platform/clock.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import type { GroupService } from "../groups/group-service.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import { domainForNew, domainInBody, onlyDomainOf, ownDomainTarget } from "../policy/own-domain.js";
import { addMembershipRoutes } from "./membership-routes.js";
import type { MembershipService } from "./membership-service.js";
import { readUserFilters, USER_FILTERS } from "./user-filters.js";
import { NewUser, PasswordChange, UserChange, UserListQuery, UserView } from "./user-schema.js";
import type { UserService } from "./user-service.js";
import type { User } from "./user-store.js";
import { createUserTarget } from "./user-targets.js";
import { federatedView, userView } from "./user-view.js";

/** Changes a user's own password. The current one authenticates the caller. */
export type ChangePassword = (
  userId: string,
  change: { readonly from: string; readonly to: string; readonly address: string },
) => Promise<void>;

export interface UserRoutesDeps extends ResourceDeps {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly memberships: MembershipService;
  readonly changePassword: ChangePassword;
  readonly clock: Clock;
}

export function addUserRoutes(server: HttpServer, deps: UserRoutesDeps): void {
  const { users, changePassword, links } = deps;
  const target = createUserTarget(deps);
  const view = async (user: User) => {
    const federated = federatedView(await users.identitiesOf(user.id));
    return { ...userView(user, links), ...(federated.length > 0 && { federated }) };
  };
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
    read: (query, request) =>
      users.list({ ...query, ...readUserFilters(request.query), domainId: onlyDomainOf(request.caller) }),
  });
  resource.create({
    target(request) {
      const domainId = domainInBody(request, "user");
      return domainId === undefined ? {} : { user: { id: "", domainId } };
    },
    body: NewUser,
    create: (draft, { caller }) =>
      users.create(
        { ...draft, domain_id: draft.domain_id ?? domainForNew(caller) },
        { onlyDomainId: onlyDomainOf(caller) },
      ),
    view,
  });
  resource.show({ target, read: users.getUser, view });
  resource.update({
    target,
    body: UserChange,
    update: (id, change, { caller }) => users.update(id, change, { onlyDomainId: onlyDomainOf(caller) }),
    // As in Keystone, the response to a change has the client's attributes twice.
    view: async (user) => ({ ...(await view(user)), extra: user.extra }),
  });
  resource.delete({ target, delete: users.delete });

  createRoutes(server, "users")("POST", "/v3/users/:user_id/password", {
    access: "public",
    home: "user_change_password",
    onResponse: auditPasswordChange,
    summary: "Changes the user's own password",
    body: PasswordChange,
    handle: ({ params: { user_id: id }, body: { user }, clientAddress: address }) =>
      changePassword(id, { from: user.original_password, to: user.password, address }),
  });

  addMembershipRoutes(server, deps);
}

/** The route is public, so that the guard writes no audit record. */
async function auditPasswordChange(request: FastifyRequest, { statusCode }: FastifyReply): Promise<void> {
  const target = request.params as Record<string, string>;
  const outcome = outcomeOf(statusCode);
  writeAudit(request, statusCode, { action: "change_password", target, outcome });
}
