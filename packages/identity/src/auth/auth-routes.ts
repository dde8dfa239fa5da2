/** `/v3/auth/tokens`: logging in, looking at tokens, ending them. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";

import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import { ForbiddenError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Query } from "../platform/http/query.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import type { Credentials } from "../policy/credentials.js";
import type { Action } from "../policy/is-allowed.js";
import { proveAll, type AuthMethod } from "./auth-methods.js";
import { AuthBody, TokenAnswer, type Auth } from "./auth-schema.js";
import type { Login } from "./login.js";
import { readScope } from "./scope-request.js";
import { MissingPartError, NoTokenError } from "../tokens/token-errors.js";
import { answerToken, type TokenAnswerDeps } from "./token-answer.js";
import type { Token, TokenService } from "../tokens/token-service.js";

export interface AuthRoutesDeps extends TokenAnswerDeps {
  readonly methods: readonly AuthMethod[];
  readonly login: Login;
  readonly tokens: TokenService;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The token that is asked about, once the caller was found to be allowed to. */
    subject: Token | undefined;
    /** Whom somebody wants to log in as, for the record. */
    loginName: Readonly<Record<string, string>> | undefined;
  }
}

/** HEAD comes first, or the server would make it of GET. */
const LOOKS = [
  ["HEAD", "identity:check_token"],
  ["GET", "identity:validate_token"],
] as const;

export function addAuthRoutes(server: HttpServer, deps: AuthRoutesDeps): void {
  const { methods, login, tokens } = deps;
  const tags = ["authentication"];
  server.decorateRequest("subject");
  server.decorateRequest("loginName");

  /** What a token is asked about for: its user's own tokens may be looked at and ended by the user. */
  const access = (action: Action) => ({
    action,
    target: async (request: FastifyRequest) => {
      const { query, headers } = request;
      const text = headers["x-subject-token"];
      const allowExpired = saysYes((query as Query)["allow_expired"]) && action !== "identity:revoke_token";
      request.subject = await tokens.read(typeof text === "string" ? text : "", { allowExpired });
      const { userId } = request.subject.payload;
      return { user: { id: userId, domainId: request.subject.facts.user.domain.id } };
    },
  });

  const shown = (token: Token, query: unknown): Promise<TokenAnswer> =>
    answerToken(deps, token, { wantsCatalog: !("nocatalog" in (query as Query)) });

  server.post(
    "/v3/auth/tokens",
    {
      config: { access: "public", home: [{ relation: coreRelation("auth_tokens") }] },
      attachValidation: true,
      onResponse: auditLogin,
      schema: { tags, summary: "Logs in", body: AuthBody, response: { 201: TokenAnswer } },
    },
    async (request, reply) => {
      const { auth } = requireBody(request);
      request.loginName = nameIn(auth);
      const scope = readScope(auth.scope);
      const proof = await proveAll(methods, auth.identity, { address: request.clientAddress, request });
      const issued = await login(proof, scope, receiptIn(request));
      request.caller = issued.facts.credentials;
      return reply
        .code(201)
        .header("x-subject-token", issued.text)
        .send(await shown(issued, request.query));
    },
  );

  // Whether a token is good may be asked by fewer than what it shows.
  for (const [method, action] of LOOKS) {
    server.route({
      method,
      url: "/v3/auth/tokens",
      config: { access: access(action) },
      schema: { tags, summary: "Shows a token", response: { 200: TokenAnswer } },
      handler: async (request, reply) =>
        reply
          .header("x-subject-token", request.headers["x-subject-token"])
          .send(await shown(requireSubject(request), request.query)),
    });
  }

  addRevokedList(server);

  server.delete(
    "/v3/auth/tokens",
    { config: { access: access("identity:revoke_token") }, schema: { tags, summary: "Ends a token" } },
    async (request, reply) => {
      await tokens.revoke(requireSubject(request));
      return reply.code(204).send();
    },
  );
}

/** What a login before has got instead of a token; empty if nothing. */
export function receiptIn({ headers }: FastifyRequest): string {
  return [headers["openstack-auth-receipt"]].flat().join("");
}

/** There has never been a list of ended tokens here, and Keystone gives it to nobody any more. */
function addRevokedList(server: HttpServer): void {
  server.get(
    "/v3/auth/tokens/OS-PKI/revoked",
    {
      config: { access: "public", home: [{ relation: extensionRelation("OS-PKI", "revocations") }] },
      schema: { tags: ["authentication"], summary: "Refused to everybody" },
    },
    async () => {
      throw new ForbiddenError("You are not authorized to perform the requested action.");
    },
  );
}

/** What Keystone takes for a yes here; `nocatalog` needs no value. */
function saysYes(value = ""): boolean {
  return ["1", "t", "true", "on", "y", "yes"].includes(value.trim().toLowerCase());
}

function requireSubject({ subject }: FastifyRequest): Token {
  if (subject === undefined) throw new NoTokenError();
  return subject;
}

function requireBody({ body, validationError }: FastifyRequest): Static<typeof AuthBody> {
  const { auth } = (body ?? {}) as { readonly auth?: unknown };
  if (auth === undefined || auth === null) throw new MissingPartError("auth", "request body");
  if (validationError !== undefined) throw validationError;
  return body as Static<typeof AuthBody>;
}

/** What the request says of the user; never the password. */
function nameIn({ identity }: Auth): Readonly<Record<string, string>> {
  const { id, name, domain } = identity.password?.user ?? {};
  const { id: domainId, name: domainName } = domain ?? {};
  const named = { user_id: id, user: name, domain_id: domainId, domain: domainName };
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

async function auditLogin(request: FastifyRequest, { statusCode }: FastifyReply): Promise<void> {
  // A login that failed has made nobody the caller.
  const caller = request.caller as Credentials | undefined;
  writeAudit(request, statusCode, {
    action: "authenticate",
    user: caller?.userId,
    scope: caller?.scope,
    target: request.loginName ?? {},
    outcome: outcomeOf(statusCode),
  });
}
