/** `.../protocols/{protocol_id}/test_logins`: logins that create nothing. */
import type { Platform } from "../../area.js";
import {
  FEDERATION_PLACES,
  federatedRequestOf,
  sendErrorPages,
  sendStep,
} from "../../federation/federation-routes.js";
import type { ProtocolTypes } from "../../federation/protocols/protocol-type.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import { formatSeconds } from "../../platform/clock.js";
import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import { homeIn, type ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { createRoutes } from "../../platform/http/route.js";
import { bodyOf, pathOf } from "../../platform/http/validation/schema-parts.js";
import { newTestLogin, TestLoginView } from "./test-login-schema.js";
import type { TestLogin, TestLogins } from "./test-login-service.js";

export interface TestLoginRoutesDeps extends Pick<Platform, "links"> {
  readonly testLogins: TestLogins;
  readonly types: Pick<ProtocolTypes, "types">;
}

/** Who may change the mapping may see what the provider knows of the user who logs in. */
const access = "identity:update_mapping";

export function addTestLoginRoutes(
  server: HttpServer,
  place: ExtensionPrefix,
  { testLogins, types, links }: TestLoginRoutesDeps,
): void {
  const providers = `${place.prefix}/identity_providers`;
  const path = `${providers}/:idp_id/protocols/:protocol_id/test_logins` as const;
  const route = createRoutes(server, "identity providers");
  const view = (login: TestLogin) => viewOf(login, links, providers);

  route("POST", path, {
    access,
    auditedAs: "identity:create_test_login",
    summary: "Tests a login, without creating a user or a token",
    body: newTestLogin(types.types),
    bodyLimit: BODY_LIMITS.testLogin,
    response: bodyOf("test_login", TestLoginView),
    status: 201,
    handle: async ({ params, body, caller, clientAddress, log }, reply) => {
      const request = { clientAddress, log };
      const { userId } = caller;
      const { login, cookie } = await testLogins.create(keyOf(params), body.test_login, { userId, request });
      reply.header("cache-control", "no-store");
      if (cookie !== undefined) reply.header("set-cookie", cookie);
      return { test_login: view(login) };
    },
  });
  route("GET", `${path}/:test_login_id`, {
    access,
    home: homeIn(place, "identity_provider_protocol_test_login", "idp_id", "protocol_id", "test_login_id"),
    summary: "Shows the result of a test login to its creator, for ten minutes",
    response: bodyOf("test_login", TestLoginView),
    handle: async ({ params, caller }, reply) => {
      reply.header("cache-control", "no-store");
      return { test_login: view(await testLogins.show(keyOf(params), params.test_login_id, caller.userId)) };
    },
  });
}

/** Where a browser begins the test login that it has asked for. */
export function addTestLoginStart(
  server: HttpServer,
  { testLogins }: Pick<TestLoginRoutesDeps, "testLogins">,
): void {
  const [{ prefix } = { prefix: "" }] = FEDERATION_PLACES;
  server.register(async (scope) => {
    sendErrorPages(scope);
    (scope as HttpServer).route({
      method: "GET",
      url: `${prefix}/identity_providers/:idp_id/protocols/:protocol_id/test_logins/:test_login_id/login`,
      config: { access: "public" },
      schema: {
        tags: ["authentication"],
        summary: "Sends the browser that asked for a test login to the provider",
        params: pathOf("idp_id", "protocol_id", "test_login_id"),
      },
      handler: async (request, reply) => {
        const { test_login_id: id } = request.params;
        const step = await testLogins.begin(keyOf(request.params), id, federatedRequestOf(request));
        return sendStep(reply, step);
      },
    });
  });
}

function keyOf(params: { readonly idp_id: string; readonly protocol_id: string }): ProtocolKey {
  return { idpId: params.idp_id, id: params.protocol_id };
}

function viewOf(
  { id, idpId, protocolId, createdAt, expiresAt, loginUrl, begunAt, result }: TestLogin,
  links: Links,
  providers: string,
): TestLoginView {
  const hasFailed = result?.steps.some(({ status }) => status === "failed");
  const unfinished = begunAt === null ? "waiting" : "begun";
  return {
    id,
    idp_id: idpId,
    protocol_id: protocolId,
    status: result === undefined ? unfinished : hasFailed ? "failed" : "passed",
    created_at: formatSeconds(createdAt),
    expires_at: formatSeconds(expiresAt),
    login_url: loginUrl ?? null,
    result: result ?? null,
    links: { self: links.self(providers, idpId, "protocols", protocolId, "test_logins", id) },
  };
}
