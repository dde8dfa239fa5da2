/** `/console/api/session`: logging in and out of the console, and choosing a scope. No response carries the token. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

import { FailedLoginError, MoreMethodsRequiredError } from "../auth/auth-errors.js";
import { proveAll } from "../auth/auth-methods.js";
import { logIn, type PostedLoginDeps } from "../auth/auth-routes.js";
import { AuthBody, readScope, Scope, type ScopeRequest, type ScopeSection } from "../auth/login-request.js";
import { issueToken } from "../auth/login.js";
import { auditLogin, tokenResponse, type TokenResponse } from "../auth/token-response.js";
import { PasswordExpiredError } from "../passwords/password-errors.js";
import { InvalidError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { outcomeOf, writeAudit } from "../policy/audit.js";
import { InvalidTokenError, UnreadableTokenError } from "../tokens/token-errors.js";
import type { Token, TokenService, ValidToken } from "../tokens/token-service.js";
import { CONSOLE_API_PATH } from "./console-address.js";
import { NoSessionError, PasswordChangeNeededError, ScopeRefusedError } from "./console-guard.js";
import type { ConsoleSession } from "./console-sessions.js";
import { draftOfReceipt, draftOfToken } from "./console-sessions.js";
import type { WebConsole } from "./web-console.js";

export interface ConsoleSessionRoutesDeps extends PostedLoginDeps {
  readonly webConsole: Pick<WebConsole, "sessions" | "cookie">;
  readonly tokens: Pick<TokenService, "read" | "revoke">;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The user whose session a request ends, for the audit log. */
    loggedOutUser: string | undefined;
  }
}

/** The routes authenticate themselves: a session may be unfinished, or none. */
const config = { access: "public" } as const;
const auditOwnLogin = (request: FastifyRequest, reply: FastifyReply) =>
  auditLogin(request, reply, request.loginName ?? {});

export function addConsoleSessionRoutes(server: HttpServer, deps: ConsoleSessionRoutesDeps): void {
  const { webConsole, tokens } = deps;
  const { sessions, cookie } = webConsole;
  const url = `${CONSOLE_API_PATH}/session`;
  server.decorateRequest("loggedOutUser");

  const sessionOf = (request: FastifyRequest) => sessions.find(request);

  /** Ends a session: its token too, if it is still valid. @returns The user. */
  async function end(session: ConsoleSession): Promise<string | undefined> {
    const { content } = session;
    const token = content.kind === "token" ? await validToken(deps, content.text) : undefined;
    if (token !== undefined) await tokens.revoke(token);
    await sessions.end(session);
    return token?.payload.userId;
  }

  server.route({
    method: "GET",
    url,
    config,
    handler: async (request) => {
      const { token } = await requireSession(deps, await sessionOf(request));
      return sessionView(deps, token);
    },
  });

  server.post(
    url,
    {
      config: { ...config, login: "none", endListeners: [auditOwnLogin] },
      attachValidation: true,
      schema: { body: AuthBody },
    },
    async (request, reply) => {
      const former = await sessionOf(request);
      const receipt = receiptFor(former, request.body);
      if (receipt !== undefined) request.headers["openstack-auth-receipt"] = receipt;
      try {
        const token = await logIn(deps, request);
        reply.header("set-cookie", await sessions.begin(draftOfToken(token)));
        if (former !== undefined) await end(former);
        return await sessionView(deps, token);
      } catch (failure) {
        if (failure instanceof PasswordExpiredError)
          throw new PasswordChangeNeededError(failure.message, failure.userId);
        if (!(failure instanceof MoreMethodsRequiredError)) throw failure;
        reply.header("set-cookie", await sessions.begin(draftOfReceipt(failure)));
        if (former !== undefined) await end(former);
        throw failure;
      }
    },
  );

  server.put(
    `${url}/scope`,
    { config: { ...config, endListeners: [auditOwnLogin] }, schema: { body: ScopeBody } },
    async (request) => {
      const scope = readOwnScope(request.body.scope);
      const { text } = await requireSession(deps, await sessionOf(request));
      const token = await rescope(deps, request, { text, scope });
      const { expiresAt } = token.payload;
      if (!(await sessions.replaceToken(request.headers.cookie, { text: token.text, expiresAt })))
        throw new NoSessionError();
      return sessionView(deps, token);
    },
  );

  server.delete(url, { config: { ...config, endListeners: [auditLogout] } }, async (request, reply) => {
    const session = await sessionOf(request);
    request.loggedOutUser = session && (await end(session));
    return reply.header("set-cookie", cookie.clear()).code(204).send();
  });
}

const ScopeBody = Type.Object({ scope: Type.Union([Scope, Type.String()]) });

/** @throws {MoreMethodsRequiredError} The login is not finished. {@link NoSessionError} */
async function requireSession(
  deps: ConsoleSessionRoutesDeps,
  session: ConsoleSession | undefined,
): Promise<{ readonly text: string; readonly token: Token }> {
  if (session === undefined) throw new NoSessionError();
  const { kind, text } = session.content;
  if (kind === "receipt") throw new MoreMethodsRequiredError(session.content);
  const token = await validToken(deps, text);
  if (token === undefined) throw new NoSessionError();
  return { text, token };
}

/** @returns `undefined` where the token has expired or was revoked. */
async function validToken(
  { tokens }: ConsoleSessionRoutesDeps,
  text: string,
): Promise<ValidToken | undefined> {
  try {
    return await tokens.read(text);
  } catch (error) {
    if (error instanceof InvalidTokenError || error instanceof UnreadableTokenError) return undefined;
    throw error;
  }
}

/** The receipt of an unfinished login, if the request has none of its methods: otherwise the user begins anew. */
function receiptFor(session: ConsoleSession | undefined, body: unknown): string | undefined {
  if (session?.content.kind !== "receipt") return undefined;
  const used = session.content.body.receipt.methods;
  const { auth } = (body ?? {}) as Partial<{ auth: { identity?: { methods?: unknown } } }>;
  const methods = auth?.identity?.methods;
  const isNext = Array.isArray(methods) && !methods.some((method) => used.includes(method));
  return isNext ? session.content.text : undefined;
}

/** A delegated token could not be exchanged for another one. */
function readOwnScope(section: NonNullable<ScopeSection>): ScopeRequest {
  const scope = readScope(section);
  if (scope.kind === "trust")
    throw new InvalidError(
      "Invalid input for field scope: OS-TRUST:trust, expected project, domain, system or unscoped.",
    );
  return scope;
}

/** @throws {ScopeRefusedError} */
async function rescope(
  deps: ConsoleSessionRoutesDeps,
  request: FastifyRequest,
  { text, scope }: { readonly text: string; readonly scope: ScopeRequest },
) {
  const identity = { methods: ["token"], token: { id: text } };
  try {
    const proof = await proveAll(deps.methods, identity, { address: request.clientAddress, request });
    return await issueToken(deps, request, { proof, scope });
  } catch (cause) {
    if (cause instanceof FailedLoginError) throw new ScopeRefusedError({ cause });
    throw cause;
  }
}

async function sessionView(deps: ConsoleSessionRoutesDeps, issued: Token) {
  const { token } = await tokenResponse(deps, issued, { wantsCatalog: true });
  const { id, name, domain, password_expires_at } = token.user;
  return {
    session: {
      user: { id, name, domain, ...(password_expires_at !== undefined && { password_expires_at }) },
      scope: scopeView(token),
      roles: token.roles ?? [],
      expires_at: token.expires_at,
      token,
    },
  };
}

function scopeView({ project, domain, system }: TokenResponse["token"]): object | null {
  if (project !== undefined) return { project };
  if (domain !== undefined) return { domain };
  return system === undefined ? null : { system };
}

function auditLogout(request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { loggedOutUser: user } = request;
  if (user === undefined) return;
  writeAudit(request, statusCode, { action: "logout", user, target: {}, outcome: outcomeOf(statusCode) });
}
