/** `/failed_logins`: the latest failed logins by all methods, newest first. `/refused_logins` is its former name. */
import { Type } from "typebox";

import { formatSeconds } from "../../platform/clock.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../../platform/http/resource.js";
import { SelfLink } from "../../platform/http/validation/schema-parts.js";
import { PROVIDER_ANSWER, providerAnswer } from "../provider-remedies.js";
import { FAILED_LOGIN_FILTERS, type FailedLogin } from "./failed-login-store.js";
import type { FailedLogins } from "./failed-logins.js";

export interface FailedLoginRoutesDeps extends ResourceDeps {
  readonly failedLogins: Pick<FailedLogins, "list" | "get">;
}

const COMMON = {
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
  ...PROVIDER_ANSWER,
  /** Names, without values. */
  attributes: Type.Array(Type.String()),
  links: SelfLink,
};

/** Who may read protocols may read why logins through them fail. */
const access = "identity:list_protocols";

/** The names of the routes and of the member with the time. */
const NAMES = [
  { name: "failed_login", time: "failed_at" },
  // For clients that know the former names.
  { name: "refused_login", time: "refused_at", homeStatus: "deprecated" },
] as const;

export function addFailedLoginRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { failedLogins, ...deps }: FailedLoginRoutesDeps,
): void {
  for (const { time, ...names } of NAMES) {
    const path = `${place.prefix}/${names.name}s`;
    const resource = createResource(server, deps, {
      ...names,
      path,
      id: `${names.name}_id`,
      place,
      tag: "identity providers",
      schema: Type.Object({ ...COMMON, [time]: Type.String() }),
      view: (login: FailedLogin) => ({
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
        ...(login.idpId === null ? {} : providerAnswer(login.reason)),
        attributes: [...login.attributes],
        [time]: formatSeconds(login.failedAt),
        links: { self: deps.links.self(path, login.id) },
      }),
    });
    resource.list({
      access,
      summary: "Lists the latest failed logins, newest first",
      filters: FAILED_LOGIN_FILTERS,
      read: failedLogins.list,
    });
    resource.show({ access, read: failedLogins.get });
  }
}
