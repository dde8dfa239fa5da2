/** `/v3/auth/tokens`: logging in by a request's body, as the console does too, validating and revoking tokens. */
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";

import { andThen } from "../platform/concurrency/and-then.js";
import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import { ForbiddenError, GoneError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Query } from "../platform/http/query.js";
import type { Action } from "../policy/is-allowed.js";
import { InvalidTokenError, NoTokenError } from "../tokens/token-errors.js";
import type { Token, TokenService } from "../tokens/token-service.js";
import { ApplicationCredentialScopeError, MissingPartError } from "./auth-errors.js";
import { proveAll, type AuthMethod } from "./auth-methods.js";
import { AuthBody, readScope, type Auth } from "./login-request.js";
import { issueToken, type IssuedToken } from "./login.js";
import {
  auditLogin,
  createTokenSender,
  sendIssued,
  TokenResponse,
  type LoginResponseDeps,
} from "./token-response.js";

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

export function addAuthRoutes(
  server: HttpServer,
  deps: PostedLoginDeps & { readonly tokens: TokenService },
): void {
  const { tokens } = deps;
  const sendToken = createTokenSender(deps);
  const tags = ["authentication"];
  server.decorateRequest("subject");
  decorateLogins(server);

  /** The permission on the subject token: users may validate and revoke their own. */
  const access = (action: Action) => ({
    action,
    target: (request: FastifyRequest) => {
      const { query, headers } = request;
      const text = headers["x-subject-token"];
      const allowExpired = isTrue((query as Query)["allow_expired"]) && action !== "identity:revoke_token";
      return andThen(tokens.read(typeof text === "string" ? text : "", { allowExpired }), (subject) => {
        request.subject = subject;
        if (action !== "identity:revoke_token") requireRuleSupport(subject, headers);
        return { user: { id: subject.payload.userId, domainId: subject.facts.user.domain.id } };
      });
    },
  });

  server.post(
    "/v3/auth/tokens",
    {
      config: {
        access: "public",
        login: "none",
        home: [{ relation: coreRelation("auth_tokens") }],
        endListeners: [(request, reply) => auditLogin(request, reply, request.loginName ?? {})],
      },
      attachValidation: true,
      schema: { tags, summary: "Logs in", body: AuthBody, response: { 201: TokenResponse } },
    },
    async (request, reply) => {
      const token = await logIn(deps, request);
      return sendIssued(sendToken, reply, { token, wantsCatalog: wantsCatalog(request) });
    },
  );

  // HEAD and GET require different permissions.
  for (const [method, action] of VALIDATIONS) {
    server.route({
      method,
      url: "/v3/auth/tokens",
      config: { access: access(action) },
      schema: { tags, summary: "Shows a token", response: { 200: TokenResponse } },
      handler: (request, reply) =>
        sendToken(reply, {
          token: requireSubject(request),
          text: request.headers["x-subject-token"] as string,
          wantsCatalog: wantsCatalog(request),
        }),
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
    throw new InvalidTokenError(
      "token-access-rules",
      `it has access rules, and the request no header ${RULE_SUPPORT}: 1.0`,
    );
}

function wantsCatalog({ query }: FastifyRequest): boolean {
  return !("nocatalog" in (query as Query));
}

/** Keystone's values for true; `nocatalog` needs no value. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && ["1", "t", "true", "on", "y", "yes"].includes(value.trim().toLowerCase());
}

function requireSubject({ subject }: FastifyRequest): Token {
  if (subject === undefined) throw new NoTokenError();
  return subject;
}

/** The routes of PKI tokens, which are not supported: as in Keystone, each rejects all callers. */
export function addPkiRoutes(server: HttpServer): void {
  server.get(
    "/v3/auth/tokens/OS-PKI/revoked",
    {
      config: { access: "public", home: [{ relation: extensionRelation("OS-PKI", "revocations") }] },
      schema: { tags: ["authentication"], summary: "Forbidden for all callers" },
    },
    async () => {
      throw new ForbiddenError("You are not authorized to perform the requested action.");
    },
  );
  for (const [path, name] of [
    ["ca", "ca_certificate"],
    ["certificates", "certificates"],
  ] as const)
    server.get(
      `/v3/OS-SIMPLE-CERT/${path}`,
      {
        config: { access: "public", home: [{ relation: extensionRelation("OS-SIMPLE-CERT", name) }] },
        schema: { tags: ["authentication"], summary: "No longer available" },
      },
      async () => {
        throw new GoneError("This API is no longer available due to the removal of support for PKI tokens.");
      },
    );
}

export interface PostedLoginDeps extends LoginResponseDeps {
  readonly methods: readonly AuthMethod[];
}

declare module "fastify" {
  interface FastifyRequest {
    /** The user of a login request, for the audit log. */
    loginName: Readonly<Record<string, string>> | undefined;
  }
}

function decorateLogins(server: HttpServer): void {
  server.decorateRequest("loginName");
}

/**
 * Issues the token that a request's body asks for. Its route has `attachValidation`.
 *
 * @throws {MissingPartError} {@link AuthMethodError} {@link FailedLoginError} {@link MoreMethodsRequiredError}
 */
export async function logIn(deps: PostedLoginDeps, request: FastifyRequest): Promise<IssuedToken> {
  const { auth } = requireBody(request);
  request.loginName = nameIn(auth);
  request.loginMethods = auth.identity.methods;
  if (auth.scope !== undefined && auth.identity.methods.includes("application_credential"))
    throw new ApplicationCredentialScopeError();
  const scope = readScope(auth.scope);
  const proof = await proveAll(deps.methods, auth.identity, { address: request.clientAddress, request });
  return issueToken(deps, request, { proof, scope });
}

function requireBody({ body, validationError }: FastifyRequest): Static<typeof AuthBody> {
  const { auth } = (body ?? {}) as { readonly auth?: unknown };
  if (auth === undefined || auth === null) throw new MissingPartError("auth", "request body");
  if (validationError !== undefined) throw validationError;
  return body as Static<typeof AuthBody>;
}

/** How the request names the user or the application credential; never the secret, also where it was typed as a name. */
function nameIn({ identity }: Auth): Readonly<Record<string, string>> {
  const { password, totp, application_credential: credential } = identity;
  const { id, name, domain } = password?.user ?? totp?.user ?? credential?.user ?? {};
  const { id: domainId, name: domainName } = domain ?? {};
  const named = {
    user_id: id,
    user: name,
    domain_id: domainId,
    domain: domainName,
    application_credential_id: credential?.id,
    application_credential: credential?.name,
  };
  const secrets = [password?.user?.password, totp?.user?.passcode, credential?.secret];
  const isShown = (value: string) =>
    !secrets.some((secret) => typeof secret === "string" && repeats(value, secret));
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) =>
      value !== undefined && isShown(value) ? [[key, value]] : [],
    ),
  );
}

/** A shorter secret may be part of a name by chance. */
const MIN_REPEATED = 6;

function repeats(name: string, secret: string): boolean {
  return name === secret || (secret.length >= MIN_REPEATED && name.includes(secret));
}
