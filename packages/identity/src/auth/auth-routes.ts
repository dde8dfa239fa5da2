/** `/v3/auth/tokens`: logging in, validating and revoking tokens. */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Query } from "../platform/http/query.js";
import type { Action } from "../policy/is-allowed.js";
import { AuthBody } from "./login-request.js";
import { decorateLogins, logIn, type PostedLoginDeps } from "./posted-login.js";
import { InvalidTokenError, NoTokenError } from "../tokens/token-errors.js";
import { auditLogin, sendIssued, tokenResponse, TokenResponse } from "./token-response.js";
import type { Token, TokenService } from "../tokens/token-service.js";

export interface AuthRoutesDeps extends PostedLoginDeps {
  readonly tokens: TokenService;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The token of `X-Subject-Token`, read before the caller's permission is checked. */
    subject: Token | undefined;
  }
}

/** HEAD is added first: otherwise the server derives it from GET. */
const VALIDATIONS = [
  ["HEAD", "identity:check_token"],
  ["GET", "identity:validate_token"],
] as const;

export function addAuthRoutes(server: HttpServer, deps: AuthRoutesDeps): void {
  const { tokens } = deps;
  const tags = ["authentication"];
  server.decorateRequest("subject");
  decorateLogins(server);

  /** The permission on the subject token: users may validate and revoke their own. */
  const access = (action: Action) => ({
    action,
    target: async (request: FastifyRequest) => {
      const { query, headers } = request;
      const text = headers["x-subject-token"];
      const allowExpired = isTrue((query as Query)["allow_expired"]) && action !== "identity:revoke_token";
      request.subject = await tokens.read(typeof text === "string" ? text : "", { allowExpired });
      if (action !== "identity:revoke_token") requireRuleSupport(request.subject, headers);
      const { userId } = request.subject.payload;
      return { user: { id: userId, domainId: request.subject.facts.user.domain.id } };
    },
  });

  server.post(
    "/v3/auth/tokens",
    {
      config: { access: "public", home: [{ relation: coreRelation("auth_tokens") }] },
      attachValidation: true,
      onResponse: async (request, reply) => auditLogin(request, reply, request.loginName ?? {}),
      schema: { tags, summary: "Logs in", body: AuthBody, response: { 201: TokenResponse } },
    },
    async (request, reply) => {
      const token = await logIn(deps, request);
      return sendIssued(deps, reply, { token, wantsCatalog: wantsCatalog(request) });
    },
  );

  // HEAD and GET require different permissions.
  for (const [method, action] of VALIDATIONS) {
    server.route({
      method,
      url: "/v3/auth/tokens",
      config: { access: access(action) },
      schema: { tags, summary: "Shows a token", response: { 200: TokenResponse } },
      handler: async (request, reply) =>
        reply
          .header("x-subject-token", request.headers["x-subject-token"])
          .send(await tokenResponse(deps, requireSubject(request), { wantsCatalog: wantsCatalog(request) })),
    });
  }

  server.delete(
    "/v3/auth/tokens",
    { config: { access: access("identity:revoke_token") }, schema: { tags, summary: "Revokes a token" } },
    async (request, reply) => {
      await tokens.revoke(requireSubject(request));
      return reply.code(204).send();
    },
  );
}

/** By this header a service promises to enforce the access rules of the tokens that it validates. */
const RULE_SUPPORT = "openstack-identity-access-rules";
const MIN_RULE_VERSION = 1;

/** @throws {InvalidTokenError} The token has access rules, which the service does not enforce. */
function requireRuleSupport({ facts }: Token, headers: FastifyRequest["headers"]): void {
  if (facts.delegation?.applicationCredential?.accessRules === undefined) return;
  if (!(Number(headers[RULE_SUPPORT]) >= MIN_RULE_VERSION))
    throw new InvalidTokenError(`it has access rules, and the request no header ${RULE_SUPPORT}: 1.0`);
}

function wantsCatalog({ query }: FastifyRequest): boolean {
  return !("nocatalog" in (query as Query));
}

/** Keystone's values for true; `nocatalog` needs no value. */
function isTrue(value = ""): boolean {
  return ["1", "t", "true", "on", "y", "yes"].includes(value.trim().toLowerCase());
}

function requireSubject({ subject }: FastifyRequest): Token {
  if (subject === undefined) throw new NoTokenError();
  return subject;
}
