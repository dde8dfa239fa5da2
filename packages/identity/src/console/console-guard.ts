/**
 * Guards what the console's pages request: only its own pages may, and the token of their session authenticates them.
 *
 * A page of another origin can neither send the header `X-Console`, which no CORS response allows, nor its own `Origin`. The guard of
 * all routes (`policy/guard.ts`) then checks the token like any other.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

import { errorClass, ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { routedPath } from "../platform/http/request-target.js";
import { addRouteHook } from "../platform/http/route-hooks.js";
import { quoted } from "../platform/text/quoted-value.js";
import { CONSOLE_API_PATH, type ConsoleAddress, type ConsoleForwarding } from "./console-address.js";
import type { ConsoleSessions } from "./console-sessions.js";

export interface ConsoleGuardDeps {
  readonly address: ConsoleAddress;
  readonly forwarding: ConsoleForwarding;
  readonly sessions: Pick<ConsoleSessions, "find">;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The session whose token authenticates a page's request. */
    consoleSessionId: string | undefined;
  }
  interface FastifyContextConfig {
    /** Whether browsers navigate to a route of the console: it has no effect, and requires no header. */
    readonly isConsoleNavigation?: true;
  }
}

/** Begins a login with a passkey: of one user, if the session has the receipt of another factor. */
const PASSKEY_LOGIN = "POST /v3/auth/webauthn/options";
/** Public routes that are forwarded, because they are used without a session: the first changes an expired password. */
const FORWARDED_PUBLIC = new Set(["POST /v3/users/:user_id/password", PASSKEY_LOGIN]);
/** Guarded routes that are not forwarded: no page has a token to validate or to revoke. */
const NOT_FORWARDED = new Set(["/v3/auth/tokens"]);
/** Credentials that a page must not choose: the session has the only ones. */
const CREDENTIALS = ["x-auth-token", "x-subject-token", "openstack-auth-receipt"] as const;

/** Guards all routes added afterwards. It has to be added before the guard of tokens. */
export function guardConsole(server: HttpServer, deps: ConsoleGuardDeps): void {
  const { address, forwarding, sessions } = deps;
  const isForwarded = ({ raw }: FastifyRequest) => forwarding.isForwarded(raw);

  server.decorateRequest("consoleSessionId");
  server.addHook("onRequest", (request, reply, done) =>
    isForwarded(request) ? authenticatePage(request, reply) : done(),
  );
  server.addHook("onSend", (request, reply, _payload, done) => {
    if (isForwarded(request)) withhold(reply);
    done();
  });
  server.addHook("onRoute", (route) => {
    if (!route.url.startsWith(`${CONSOLE_API_PATH}/`)) return;
    addRouteHook(route, "onRequest", authenticatePage);
    addRouteHook(route, "onSend", (_request, reply, _payload, done) => {
      withhold(reply);
      done();
    });
  });

  async function authenticatePage(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header("cross-origin-resource-policy", "same-origin");
    const { config } = request.routeOptions;
    if (config.isConsoleNavigation === true) return;
    requireOwnPage(request, address);
    for (const name of CREDENTIALS) delete request.headers[name];
    if (isForwarded(request)) requireForwarded(request);
    const isPublic = (config.access ?? "public") === "public";
    if (isPublic && routeOf(request) !== PASSKEY_LOGIN) return;
    const session = await sessions.find(request);
    request.consoleSessionId = session?.id;
    const header = isPublic ? "openstack-auth-receipt" : "x-auth-token";
    if (session?.content.kind === (isPublic ? "receipt" : "token"))
      request.headers[header] = session.content.text;
  }
}

/** Tokens for signed requests, and receipts: the session keeps them. */
function withhold(reply: FastifyReply): void {
  for (const name of CREDENTIALS) reply.removeHeader(name);
}

/** @throws {ForeignPageError} */
function requireOwnPage({ method, headers }: FastifyRequest, { origin }: ConsoleAddress): void {
  requireHeader("X-Console", headers["x-console"], "1");
  const isSafe = method === "GET" || method === "HEAD";
  // Browsers send no Origin with their own page's GET.
  if (!isSafe || headers.origin !== undefined) requireHeader("Origin", headers.origin, origin);
  const site = headers["sec-fetch-site"];
  if (site !== undefined) requireHeader("Sec-Fetch-Site", site, "same-origin");
}

function requireHeader(name: string, given: string | string[] | undefined, expected: string): void {
  if (given === expected) return;
  throw new ForeignPageError(name, quoted(given?.toString()), expected);
}

function routeOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url}`;
}

/** @throws {NotForwardedError} */
function requireForwarded(request: FastifyRequest): void {
  const { method, routeOptions } = request;
  // Unmatched requests are answered as such.
  if (routeOptions.url === undefined) return;
  const isPublic = (routeOptions.config.access ?? "public") === "public";
  const isForwarded = isPublic
    ? FORWARDED_PUBLIC.has(routeOf(request))
    : !NOT_FORWARDED.has(routeOptions.url);
  if (!isForwarded) throw new NotForwardedError(method, routedPath(request));
}

/** The request comes from another page than the console's: perhaps a forged one (CSRF). */
class ForeignPageError extends errorClass(
  ForbiddenError,
  "console/foreign-page",
  (header: string, given: string, expected: string) =>
    `The console accepts requests of its own pages only: ${header} is ${given}, expected ${expected}.`,
) {}

/** The browser has no session. */
export class NoSessionError extends errorClass(
  UnauthorizedError,
  "console/no-session",
  "You are not logged in to the console.",
) {
  override readonly isShown = true;
}

/** A right password that has to be changed first. The response names its user, whom the page asks for another one. */
export class PasswordChangeNeededError extends errorClass(UnauthorizedError, "console/password-expired") {
  override readonly response: UnauthorizedError["response"];

  constructor(message: string, userId: string) {
    super(message);
    const error = { code: 401, message, title: "Unauthorized" };
    this.response = { headers: {}, body: { error, password_expired: { user_id: userId } } };
  }
}

/** The user has no role there, or it does not exist. */
export class ScopeRefusedError extends errorClass(
  ForbiddenError,
  "console/scope",
  "You have no role in this scope, or it does not exist.",
) {}

/** Logins, logouts and what returns tokens are not for pages. */
class NotForwardedError extends errorClass(
  NotFoundError,
  "console/not-forwarded",
  (method: string, path: string) => `The console does not forward ${method} ${path}.`,
) {}
