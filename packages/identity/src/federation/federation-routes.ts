/** Login through an identity provider: `.../identity_providers/{idp_id}/protocols/{protocol_id}/auth`, and WebSSO; and the federation's resources, under each prefix of the extension. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

import { MoreMethodsRequiredError } from "../auth/auth-errors.js";
import { issueToken, type IssuedToken } from "../auth/login.js";
import {
  auditLogin,
  createTokenSender,
  sendIssued,
  TokenResponse,
  type LoginResponseDeps,
} from "../auth/token-response.js";
import {
  addIdentityProviderRoutes,
  type IdentityProviderRoutesDeps,
} from "../identity-providers/identity-provider-routes.js";
import {
  addProtocolRoutes,
  type ProtocolRoutesDeps,
} from "../identity-providers/protocols/protocol-routes.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { addMappingRoutes, type MappingRoutesDeps } from "../mappings/mapping-routes.js";
import { BODY_LIMITS } from "../platform/http/body-limits.js";
import { acceptLoginBodies, type LoginBody } from "../platform/http/body-parsing.js";
import type { ErrorBody } from "../platform/http/error-response.js";
import { homeIn, type ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import {
  addServiceProviderRoutes,
  type ServiceProviderRoutesDeps,
} from "../service-providers/service-provider-routes.js";
import { isBrowserStep, type BrowserStep, type FederatedRequest } from "./assertion-verifier.js";
import { errorPage } from "./browser/websso-pages.js";
import type { WebSso } from "./browser/websso.js";
import { addFailedLoginRoutes, type FailedLoginRoutesDeps } from "./failed-logins/failed-login-routes.js";
import type { FailedLogins } from "./failed-logins/failed-logins.js";
import { logRefusal } from "./federation-errors.js";
import { addLogoutRoutes, type LogoutRoutesDeps } from "./logout/logout-routes.js";
import { addEntityRoutes, type EntityRoutesDeps } from "./protocols/entity-routes.js";
import { addProtocolTypeRoutes, type ProtocolTypeRoutesDeps } from "./protocols/protocol-type-routes.js";
import { PAOS_TYPE } from "./protocols/saml2/message-bindings.js";
import {
  addProviderHealthRoutes,
  type ProviderHealthRoutesDeps,
} from "./provider-health/provider-health-routes.js";
import type { ProviderLogin, ProvedLogin } from "./provider-login.js";

export interface FederationRoutesDeps extends LoginResponseDeps, LogoutRoutesDeps {
  readonly providerLogin: ProviderLogin;
  readonly webSso: WebSso;
  readonly failedLogins: Pick<FailedLogins, "failed">;
}

const tags = ["authentication"];
const params = pathOf("idp_id", "protocol_id");
const WEBSSO_PLACE: ExtensionPrefix = {
  prefix: "/v3/auth/OS-FEDERATION",
  putReplaces: false,
  homeName: "OS-FEDERATION",
};

declare module "fastify" {
  interface FastifyRequest {
    /** Where the browser takes the token; `undefined` where the response carries it, or there is none. */
    tokenOrigin: string | undefined;
  }
}

const config = { access: "public", endListeners: [auditFederatedLogin] } as const;
const METHODS = ["GET", "POST"] as const;

export function addFederationRoutes(server: HttpServer, deps: FederationRoutesDeps): void {
  server.register(async (scope) => {
    acceptLoginBodies(scope);
    scope.decorateRequest("tokenOrigin");
    sendErrorPages(scope);
    scope.decorateRequest("loggedOut");
    const routes = scope as HttpServer;
    for (const place of FEDERATION_PLACES) {
      addAuthRoute(routes, place, deps);
      addLogoutRoutes(routes, place, deps);
    }
    addWebSsoRoutes(routes, deps);
  });
}

function auditFederatedLogin(request: FastifyRequest, reply: FastifyReply): void {
  const { tokenOrigin: origin } = request;
  const names = request.params as Readonly<Record<string, string>>;
  auditLogin(request, reply, origin === undefined ? names : { ...names, origin });
}

function addAuthRoute(server: HttpServer, place: ExtensionPrefix, deps: FederationRoutesDeps): void {
  const sendToken = createTokenSender(deps);
  const home = homeIn(place, "identity_provider_protocol_auth", "idp_id", "protocol_id");
  for (const method of METHODS)
    server.route({
      bodyLimit: BODY_LIMITS.assertion,
      method,
      url: `${place.prefix}/identity_providers/:idp_id/protocols/:protocol_id/auth`,
      config: { ...config, ...(method === "GET" && { home }) },
      schema: {
        tags,
        summary: "Logs in by an identity provider",
        params,
        response: { 201: TokenResponse },
      },
      handler: async (request, reply) => {
        const result = await deps.providerLogin(keyOf(request.params), federatedRequestOf(request));
        if (isBrowserStep(result)) return sendStep(reply, result);
        const { origin } = result;
        // A browser that returns from the provider goes on to its dashboard.
        if (origin !== undefined)
          return handOver(deps, reply, { key: keyOf(request.params), origin, login: result });
        const token = await issue(deps, request, result);
        return sendIssued(sendToken, reply, { token, wantsCatalog: true });
      },
    });
}

function addWebSsoRoutes(server: HttpServer, deps: FederationRoutesDeps): void {
  const { webSso } = deps;
  const summary = "Logs a browser in, and sends it to a dashboard with its token";

  async function logIn(request: FastifyRequest, reply: FastifyReply, key: ProtocolKey, origin: string) {
    const result = await deps.providerLogin(key, federatedRequestOf(request, origin));
    if (isBrowserStep(result)) return sendStep(reply, result);
    return handOver(deps, reply, { key, origin, login: result });
  }

  const originOf = (request: FastifyRequest, key?: ProtocolKey) =>
    loggingRefusal(deps, request, () => webSso.requireOrigin(request, key));

  for (const method of METHODS) {
    const homeOf = (relation: string, ...names: readonly string[]) =>
      method === "GET" ? { home: homeIn(WEBSSO_PLACE, relation, ...names) } : {};
    server.route({
      bodyLimit: BODY_LIMITS.assertion,
      method,
      url: `${WEBSSO_PLACE.prefix}/websso/:protocol_id`,
      config: { ...config, ...homeOf("websso", "protocol_id") },
      schema: { tags, summary, params: pathOf("protocol_id") },
      handler: async (request, reply) => {
        const origin = await originOf(request);
        const { protocol_id: protocolId } = request.params;
        const choice = await webSso.chooseProvider(protocolId, { ...federatedRequestOf(request), origin });
        return isBrowserStep(choice) ? sendStep(reply, choice) : logIn(request, reply, choice, origin);
      },
    });
    server.route({
      bodyLimit: BODY_LIMITS.assertion,
      method,
      url: `${WEBSSO_PLACE.prefix}/identity_providers/:idp_id/protocols/:protocol_id/websso`,
      config: { ...config, ...homeOf("identity_providers_websso", "idp_id", "protocol_id") },
      schema: { tags, summary, params },
      handler: async (request, reply) =>
        logIn(request, reply, keyOf(request.params), await originOf(request, keyOf(request.params))),
    });
  }
}

interface HandOver {
  readonly key: ProtocolKey;
  readonly origin: string;
  readonly login: ProvedLogin;
}

/** Sends the page that posts the token to the dashboard, or to the program; or begins a session of the console. */
async function handOver(
  deps: FederationRoutesDeps,
  reply: FastifyReply,
  { login, ...from }: HandOver,
): Promise<FastifyReply> {
  const { webSso } = deps;
  const { request } = reply;
  const { proof } = login;
  return loggingRefusal(deps, request, async () => {
    try {
      const token = await issueToken(deps, request, { proof, scope: { kind: "any" } });
      const page = await webSso.handOver(token, from);
      request.tokenOrigin = from.origin;
      return sendStep(reply, page);
    } catch (failure) {
      // A login that goes on to another factor is not rejected.
      const step =
        failure instanceof MoreMethodsRequiredError ? await webSso.goOn(failure, from.origin) : undefined;
      if (step === undefined) throw failure;
      return sendStep(reply, step);
    }
  });
}

/** Logs a rejection here too: the user may be disabled. */
function issue(
  deps: FederationRoutesDeps,
  request: FastifyRequest,
  { proof }: ProvedLogin,
): Promise<IssuedToken> {
  return loggingRefusal(deps, request, () => issueToken(deps, request, { proof, scope: { kind: "any" } }));
}

/** Runs a step of the login after verification, and logs why it rejects the login. */
async function loggingRefusal<Result>(
  { failedLogins }: FederationRoutesDeps,
  request: FastifyRequest,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    const { idp_id: idpId, protocol_id: id } = request.params as Readonly<Record<string, string>>;
    logRefusal(request.log, { idpId, id }, failure);
    const sender = { requestId: request.id, clientAddress: request.clientAddress };
    if (idpId !== undefined && id !== undefined) failedLogins.failed({ idpId, id }, sender, failure);
    throw failure;
  }
}

/** The service's own headers stay, unless the step sets them. */
export function sendStep(reply: FastifyReply, { status, headers, body }: BrowserStep): FastifyReply {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.code(status).send(body);
}

function keyOf(names: { readonly idp_id: string; readonly protocol_id: string }): ProtocolKey {
  return { idpId: names.idp_id, id: names.protocol_id };
}

/** A receipt can't be continued in a browser. */
const MORE_METHODS = {
  message: "This user has to log in with a further method too, which a login in a browser does not offer.",
};

/** Sends errors of these routes as pages to browsers; other clients get JSON. */
export function sendErrorPages(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const { statusCode: status } = reply;
    if (status < 400 || typeof payload !== "string" || !isBrowser(request)) return payload;
    const { message } = (JSON.parse(payload) as Partial<ErrorBody>).error ?? MORE_METHODS;
    const failed = request.routeOptions.config.errorPageOf;
    const { headers, body } = errorPage(message, { requestId: request.id, ...(failed && { failed }) });
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    return body;
  });
}

/** ECP clients accept HTML too, but can't show it. */
function isBrowser({ method, headers }: FastifyRequest): boolean {
  const accepted = (headers.accept ?? "").toLowerCase();
  return method !== "HEAD" && accepted.includes("text/html") && !accepted.includes(PAOS_TYPE);
}

/** @param origin The dashboard that receives the token; `undefined` where the response carries the token itself. */
export function federatedRequestOf(request: FastifyRequest, origin?: string): FederatedRequest {
  const { form = new Map<string, string>(), text } = (request.body ?? {}) as Partial<LoginBody>;
  const query = new Map(Object.entries(request.query as Record<string, string>));
  if (origin !== undefined) query.delete("origin");
  return {
    method: request.method as FederatedRequest["method"],
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
    query,
    form,
    text,
    clientAddress: request.clientAddress,
    peerAddress: request.socket.remoteAddress ?? "",
    origin,
    requestId: request.id,
    log: request.log,
  };
}

/** Keystone's clients rely on a conflict at the second PUT; under the extension's own prefixes PUT replaces, as in HTTP. */
export const FEDERATION_PLACES: readonly ExtensionPrefix[] = [
  { prefix: "/v3/OS-FEDERATION", putReplaces: false, homeName: "OS-FEDERATION" },
  { prefix: "/v3/EXT-FEDERATION", putReplaces: true },
  { prefix: "/EXT-FEDERATION", putReplaces: true },
];

export type FederationResourcesDeps = IdentityProviderRoutesDeps &
  ProtocolRoutesDeps &
  ProtocolTypeRoutesDeps &
  EntityRoutesDeps &
  MappingRoutesDeps &
  FailedLoginRoutesDeps &
  ProviderHealthRoutesDeps &
  ServiceProviderRoutesDeps & { readonly serviceMetadata: () => Promise<string> };

export function addFederationResources(server: HttpServer, deps: FederationResourcesDeps): void {
  for (const place of FEDERATION_PLACES) {
    addIdentityProviderRoutes(server, place, deps);
    addProtocolRoutes(server, place, deps);
    addProtocolTypeRoutes(server, place, deps);
    addEntityRoutes(server, place, deps);
    addFailedLoginRoutes(server, place, deps);
    addProviderHealthRoutes(server, place, deps);
    addMappingRoutes(server, place, deps);
    addServiceProviderRoutes(server, place, deps);
    addMetadataRoute(server, place, deps);
  }
}

function addMetadataRoute(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  { serviceMetadata }: FederationResourcesDeps,
): void {
  server.get(
    `${prefix}/saml2/metadata`,
    {
      config: { access: "public" },
      schema: {
        tags: ["SAML"],
        summary: "Shows the service's SAML metadata",
        response: { 200: Type.String() },
      },
    },
    async (_request, reply) => reply.header("content-type", "text/xml").send(await serviceMetadata()),
  );
}
