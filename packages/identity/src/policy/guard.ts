/**
 * Who may come through a route. Every route says so: one that does not can't be added.
 *
 * A request is first asked who it comes from (401), then whether that may do it (403), and only then read closely (400), so that
 * nobody learns what a request should look like who may not make it.
 */
import type { FastifyRequest } from "fastify";

import { ForbiddenError, UnauthorizedError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Credentials, PolicyTarget } from "./credentials.js";
import { isAllowed, type Action } from "./is-allowed.js";

/**
 * What a route needs: nothing, an action that concerns nothing in particular, one that concerns what a request names, or one
 * that depends on what the request names.
 */
export type Access = "public" | Action | TargetedAccess | ChosenAccess;

export interface TargetedAccess {
  readonly action: Action;
  /**
   * What the request is about. Its body is JSON, yet not known to fit the route's schema. What is not there is left out: then
   * only those may pass who may do it to anything, and they learn that it is not there.
   */
  readonly target: (request: FastifyRequest) => PolicyTarget | Promise<PolicyTarget>;
}

/** Where the action itself depends on the request: a role of a domain is another matter than one of all domains. */
export interface ChosenAccess {
  /** Subject to the same rules as `target`. */
  readonly choose: (request: FastifyRequest) => AccessQuestion | Promise<AccessQuestion>;
}

/** What is asked of the caller's credentials. */
export interface AccessQuestion {
  readonly action: Action;
  readonly target?: PolicyTarget;
}

/** Whoever sends a token. */
export interface Guarding {
  /**
   * The bearer of a token.
   *
   * @param token What the header `X-Auth-Token` says.
   * @throws {UnauthorizedError} It is none, or none any longer.
   */
  readonly authenticate: (token: string) => Promise<Credentials>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may come through the route. */
    readonly access?: Access;
  }
  interface FastifyRequest {
    /** Who asks. On a public route there is nobody. */
    caller: Credentials;
    /** What was asked of the caller's credentials; left out until somebody was found to be asking. */
    askedAction: Action | undefined;
  }
}

/** The caller may not do this. */
export class NotAllowedError extends ForbiddenError {
  override readonly name = "NotAllowedError";
  override readonly code = "policy/forbidden";
  readonly action: Action;

  constructor(action: Action) {
    super(`You are not authorized to perform the requested action: ${action}.`);
    this.action = action;
  }
}

/** @throws {NotAllowedError} For a question that only a route itself can ask. */
export function requireAllowed(action: Action, caller: Credentials, target?: PolicyTarget): void {
  if (!isAllowed(action, caller, target)) throw new NotAllowedError(action);
}

/** Guards the routes that are added from now on. */
export function guardRoutes(server: HttpServer, { authenticate }: Guarding): void {
  server.decorateRequest("caller");
  server.decorateRequest("askedAction");
  server.addHook("onRoute", ({ url, method, config }) => {
    if (config?.access === undefined)
      throw new TypeError(`${[method].flat().join(", ")} ${url} does not say who may come through`);
  });
  server.addHook("onRequest", async (request) => {
    // A request that found no route has none.
    const { access = "public" } = request.routeOptions.config;
    if (access === "public") return;
    const token = request.headers["x-auth-token"];
    if (typeof token !== "string" || token === "")
      throw new UnauthorizedError("the request has no X-Auth-Token");
    request.caller = await authenticate(token);
  });
  server.addHook("preValidation", async (request) => {
    const { access = "public" } = request.routeOptions.config;
    if (access === "public") return;
    const { action, target } = await questionOf(access, request);
    request.askedAction = action;
    requireAllowed(action, request.caller, target);
  });
}

async function questionOf(
  access: Exclude<Access, "public">,
  request: FastifyRequest,
): Promise<AccessQuestion> {
  if (typeof access === "string") return { action: access };
  if ("choose" in access) return access.choose(request);
  return { action: access.action, target: await access.target(request) };
}
