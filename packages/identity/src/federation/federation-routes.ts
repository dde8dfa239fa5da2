/** Logging in by a provider: `.../identity_providers/{idp_id}/protocols/{protocol_id}/auth`, and WebSSO. */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ProtocolKey } from "../identity-providers/protocol-store.js";
import { homeIn, type ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import type { Credentials } from "../policy/credentials.js";
import { receiptIn } from "../auth/auth-routes.js";
import { TokenAnswer } from "../auth/auth-schema.js";
import type { IssuedToken, Login } from "../auth/login.js";
import { answerToken, type TokenAnswerDeps } from "../auth/token-answer.js";
import { isBrowserStep, type BrowserStep } from "./assertion-verifier.js";
import { FEDERATION_PLACES } from "./federation-resources.js";
import { acceptLoginBodies, loginRequestOf, LOGIN_BODY_LIMIT } from "./login-bodies.js";
import { logRefusal, type ProviderLogin, type ProvedLogin } from "./provider-login.js";
import type { BrowserLogin } from "./browser/websso.js";
import { showRefusals } from "./browser/browser-refusals.js";

export interface FederationRoutesDeps extends TokenAnswerDeps {
  readonly providerLogin: ProviderLogin;
  readonly browserLogin: BrowserLogin;
  readonly login: Login;
}

const tags = ["authentication"];
const params = pathOf("idp_id", "protocol_id");
const WEBSSO_PLACE: ExtensionPlace = {
  prefix: "/v3/auth/OS-FEDERATION",
  putReplaces: false,
  homeName: "OS-FEDERATION",
};

/** What all of these routes have in common. */
const ROUTE = { bodyLimit: LOGIN_BODY_LIMIT, onResponse: auditLogin } as const;
const METHODS = ["GET", "POST"] as const;

export function addFederationRoutes(server: HttpServer, deps: FederationRoutesDeps): void {
  server.register(async (scope) => {
    acceptLoginBodies(scope);
    showRefusals(scope);
    const routes = scope as HttpServer;
    for (const place of FEDERATION_PLACES) addAuthRoute(routes, place, deps);
    addWebssoRoutes(routes, deps);
  });
}

function addAuthRoute(server: HttpServer, place: ExtensionPlace, deps: FederationRoutesDeps): void {
  const home = homeIn(place, "identity_provider_protocol_auth", "idp_id", "protocol_id");
  for (const method of METHODS)
    server.route({
      ...ROUTE,
      method,
      url: `${place.prefix}/identity_providers/:idp_id/protocols/:protocol_id/auth`,
      config: { access: "public", ...(method === "GET" && { home }) },
      schema: {
        tags,
        summary: "Logs in by an identity provider",
        params,
        response: { 201: TokenAnswer },
      },
      handler: async (request, reply) => {
        const answer = await deps.providerLogin(keyOf(request.params), loginRequestOf(request));
        if (isBrowserStep(answer)) return sendStep(reply, answer);
        const token = await issue(deps, request, answer);
        const { origin } = answer;
        // A browser that has been elsewhere meanwhile goes on to its dashboard.
        if (origin !== undefined)
          return sendStep(
            reply,
            await toldIfRefused(request, () => deps.browserLogin.handOver(origin, token.text)),
          );
        return reply
          .code(201)
          .header("x-subject-token", token.text)
          .send(await answerToken(deps, token, { wantsCatalog: true }));
      },
    });
}

function addWebssoRoutes(server: HttpServer, deps: FederationRoutesDeps): void {
  const { browserLogin } = deps;
  const summary = "Logs a browser in, and sends it to a dashboard with its token";

  async function enter(request: FastifyRequest, reply: FastifyReply, key: ProtocolKey, origin: string) {
    const answer = await deps.providerLogin(key, loginRequestOf(request, origin));
    if (isBrowserStep(answer)) return sendStep(reply, answer);
    const { text } = await issue(deps, request, answer);
    return sendStep(reply, browserLogin.handOver(origin, text));
  }

  const originOf = (request: FastifyRequest) =>
    toldIfRefused(request, () => browserLogin.requireOrigin(request.query));

  for (const method of METHODS) {
    const homeOf = (relation: string, ...names: readonly string[]) =>
      method === "GET" ? { home: homeIn(WEBSSO_PLACE, relation, ...names) } : {};
    server.route({
      ...ROUTE,
      method,
      url: `${WEBSSO_PLACE.prefix}/websso/:protocol_id`,
      config: { access: "public", ...homeOf("websso", "protocol_id") },
      schema: { tags, summary, params: pathOf("protocol_id") },
      handler: async (request, reply) => {
        const origin = await originOf(request);
        const { protocol_id: protocolId } = request.params;
        const choice = await browserLogin.choose(protocolId, { ...loginRequestOf(request), origin });
        return isBrowserStep(choice) ? sendStep(reply, choice) : enter(request, reply, choice, origin);
      },
    });
    server.route({
      ...ROUTE,
      method,
      url: `${WEBSSO_PLACE.prefix}/identity_providers/:idp_id/protocols/:protocol_id/websso`,
      config: { access: "public", ...homeOf("identity_providers_websso", "idp_id", "protocol_id") },
      schema: { tags, summary, params },
      handler: async (request, reply) =>
        enter(request, reply, keyOf(request.params), await originOf(request)),
    });
  }
}

async function issue(
  { login }: FederationRoutesDeps,
  request: FastifyRequest,
  { proof }: ProvedLogin,
): Promise<IssuedToken> {
  // Whom the provider knows may be disabled here.
  const issued = await toldIfRefused(request, () => login(proof, { kind: "any" }, receiptIn(request)));
  request.caller = issued.facts.credentials;
  return issued;
}

/** Runs what a provider has no part in; why somebody is not let in is for the log. */
async function toldIfRefused<Result>(
  request: FastifyRequest,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    const { idp_id: idpId, protocol_id: id } = request.params as Readonly<Record<string, string>>;
    logRefusal(request.log, { idpId, id }, failure);
    throw failure;
  }
}

/** The service's own headers stay where a step says nothing else. */
function sendStep(reply: FastifyReply, { status, headers, body }: BrowserStep): FastifyReply {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.code(status).send(body);
}

function keyOf(names: { readonly idp_id: string; readonly protocol_id: string }): ProtocolKey {
  return { idpId: names.idp_id, id: names.protocol_id };
}

async function auditLogin(request: FastifyRequest, { statusCode }: FastifyReply): Promise<void> {
  // Somebody who has not come in, or has to go elsewhere first, is not the caller.
  const caller = request.caller as Credentials | undefined;
  writeAudit(request, statusCode, {
    action: "authenticate",
    user: caller?.userId,
    scope: caller?.scope,
    target: request.params as Readonly<Record<string, string>>,
    outcome: outcomeOf(statusCode),
  });
}
