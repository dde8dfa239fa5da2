/** `/refused_logins`: the latest rejected logins by all methods, newest first. */
import { Type } from "typebox";

import { formatSeconds } from "../../platform/clock.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../../platform/http/resource.js";
import { SelfLink } from "../../platform/http/validation/schema-parts.js";
import { REFUSED_LOGIN_FILTERS, type RefusedLogin } from "./login-record-store.js";
import type { LoginRecords } from "./login-records.js";

export interface RefusedLoginRoutesDeps extends ResourceDeps {
  readonly loginRecords: Pick<LoginRecords, "list" | "get">;
}

const RefusedLoginView = Type.Object({
  id: Type.String(),
  /** `null` for logins without a provider, as the protocol's. */
  idp_id: Type.Union([Type.String(), Type.Null()]),
  protocol_id: Type.Union([Type.String(), Type.Null()]),
  method: Type.String(),
  /** The reason; `provider-login` for logins at a provider, whose step says more. */
  code: Type.String(),
  /** Of users who exist. */
  user_id: Type.Union([Type.String(), Type.Null()]),
  user_name: Type.Union([Type.String(), Type.Null()]),
  domain: Type.Union([Type.String(), Type.Null()]),
  address: Type.Union([Type.String(), Type.Null()]),
  /** `x-openstack-request-id` of the response, which error pages show. */
  request_id: Type.String(),
  step: Type.String(),
  reason: Type.String(),
  /** Names, without values. */
  attributes: Type.Array(Type.String()),
  refused_at: Type.String(),
  links: SelfLink,
});

/** Who may read protocols may read why logins through them fail. */
const access = "identity:list_protocols";

export function addRefusedLoginRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { loginRecords, ...deps }: RefusedLoginRoutesDeps,
): void {
  const path = `${place.prefix}/refused_logins`;
  const resource = createResource(server, deps, {
    path,
    id: "refused_login_id",
    name: "refused_login",
    place,
    tag: "identity providers",
    schema: RefusedLoginView,
    view: (login: RefusedLogin) => ({
      id: login.id,
      idp_id: login.idpId,
      protocol_id: login.protocolId,
      method: login.method,
      code: login.code,
      user_id: login.userId,
      user_name: login.userName,
      domain: login.domain,
      address: login.address,
      request_id: login.requestId,
      step: login.step,
      reason: login.reason,
      attributes: [...login.attributes],
      refused_at: formatSeconds(login.refusedAt),
      links: { self: deps.links.self(path, login.id) },
    }),
  });
  resource.list({
    access,
    summary: "Lists the latest rejected logins, newest first",
    filters: REFUSED_LOGIN_FILTERS,
    read: loginRecords.list,
  });
  resource.show({ access, read: loginRecords.get });
}
