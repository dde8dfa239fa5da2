/** `/refused_logins`: the latest rejected logins of each provider, newest first. */
import { Type } from "typebox";

import { formatSeconds } from "../../platform/clock.js";
import type { ExtensionPlace } from "../../platform/http/extension-place.js";
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
  idp_id: Type.String(),
  protocol_id: Type.String(),
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
  place: ExtensionPlace,
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
    view: ({ id, idpId, protocolId, requestId, step, reason, attributes, refusedAt }: RefusedLogin) => ({
      id,
      idp_id: idpId,
      protocol_id: protocolId,
      request_id: requestId,
      step,
      reason,
      attributes: [...attributes],
      refused_at: formatSeconds(refusedAt),
      links: { self: deps.links.self(path, id) },
    }),
  });
  resource.list({
    access,
    summary: "Lists the latest rejected federated logins, newest first",
    filters: REFUSED_LOGIN_FILTERS,
    read: loginRecords.list,
  });
  resource.show({ access, read: loginRecords.get });
}
