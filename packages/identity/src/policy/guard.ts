/**
 * Guards routes: authentication and authorization before the handler. Every route declares its access; adding one without fails.
 *
 * A request is authenticated first (401), then authorized (403), and only then validated (400), so that schemas are not revealed
 * to callers without permission.
 */
import type { FastifyRequest } from "fastify";

import { andThen } from "../platform/concurrency/and-then.js";
import { errorClass, ForbiddenError, UnauthorizedError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { ReadItem } from "../platform/http/resource.js";
import { addRouteHook, hookOf } from "../platform/http/route-hooks.js";
import { requireUsable } from "./access-rule-matching.js";
import type { Credentials, PolicyTarget } from "./caller.js";
import {
  createDecisions,
  holdPolicy,
  type Decisions,
  type HeldPolicy,
  type DecisionDeps,
} from "./held-policy.js";
import type { AccessCheck, Action } from "./is-allowed.js";

/** Access to a route: public, an action without target, an action on a target, or an action chosen by the request. */
export type Access = "public" | Action | TargetedAccess | ChosenAccess;

export interface TargetedAccess {
  readonly action: Action;
  /**
   * The target that the request names. The body is JSON, but not validated yet. A target that does not exist is left out: then
   * only callers who may act on any target pass, and get 404. Where all callers get 404 in Keystone, it throws a `NotFoundError`.
   */
  readonly target: (request: FastifyRequest) => PolicyTarget | Promise<PolicyTarget>;
}

/** Where the action depends on the request: domain-specific roles and global roles have different actions. */
export interface ChosenAccess {
  /** As for `target`, the body is not validated yet. */
  readonly choose: (request: FastifyRequest) => AccessCheck | Promise<AccessCheck>;
}

export interface GuardDeps extends Pick<DecisionDeps, "observe" | "showToken"> {
  /**
   * Validates a token.
   *
   * @param token The value of `X-Auth-Token`.
   * @throws {UnauthorizedError} The token is invalid, expired or revoked.
   */
  readonly authenticate: (token: string) => Credentials | Promise<Credentials>;
  /** The built-in rules alone, if left out. */
  readonly policy?: HeldPolicy | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Of {@link guardRoutes}. */
    decisions: Decisions;
    /** For public routes that take a token in another way: validates it, and checks its access. */
    admitToken: (request: FastifyRequest, token: string, access: TargetedAccess) => Promise<void>;
  }
  interface FastifyContextConfig {
    readonly access?: Access;
  }
  interface FastifyRequest {
    /** The authenticated caller. Not set on public routes. */
    caller: Credentials;
    /** The action that was checked; `undefined` before the check. */
    checkedAction: Action | undefined;
  }
}

/** The caller may not do this. */
export class NotAllowedError extends errorClass(
  ForbiddenError,
  "policy/forbidden",
  (action: Action) => `You are not authorized to perform the requested action: ${action}.`,
) {}

/** Guards all routes added afterwards. */
export function guardRoutes(
  server: HttpServer,
  { authenticate, policy = holdPolicy(), ...deps }: GuardDeps,
): void {
  const readers = new Map<string, ReadItem>();
  const decisions = createDecisions({ ...deps, policy, find: (collection) => readers.get(collection) });
  server.decorateRequest("caller");
  server.decorateRequest("checkedAction");
  server.decorate("decisions", decisions);
  server.decorate("admitToken", async (request, token, access) => {
    await identifyBy(request, token);
    await authorize(request, access);
  });
  server.addHook("onRoute", (route) => {
    const { url, method, config } = route;
    const access = config?.access;
    if (access === undefined)
      throw new TypeError(`route ${[method].flat().join(", ")} ${url} declares no access`);
    if (config?.item !== undefined) readers.set(config.item.collection, config.item.read);
    if (access === "public") return;
    addRouteHook(route, "onRequest", hookOf(identify));
    addRouteHook(
      route,
      "preValidation",
      hookOf((request) => authorize(request, access)),
    );
  });

  function authorize(request: FastifyRequest, access: Exclude<Access, "public">): void | Promise<void> {
    return andThen(checkOf(access, request), (check) => {
      request.checkedAction = check.action;
      return andThen(decisions.ofRequest(request, check), (isAllowed) => {
        if (!isAllowed) throw new NotAllowedError(check.action);
      });
    });
  }

  function identify(request: FastifyRequest): void | Promise<void> {
    const token = request.headers["x-auth-token"];
    if (typeof token !== "string" || token === "")
      throw new UnauthorizedError("the request has no X-Auth-Token");
    return identifyBy(request, token);
  }

  function identifyBy(request: FastifyRequest, token: string): void | Promise<void> {
    return andThen(authenticate(token), (caller) => {
      if (caller.delegation !== undefined) requireUsable(caller.delegation, request);
      request.caller = caller;
    });
  }
}

function checkOf(
  access: Exclude<Access, "public">,
  request: FastifyRequest,
): AccessCheck | Promise<AccessCheck> {
  if (typeof access === "string") return { action: access };
  if ("choose" in access) return access.choose(request);
  return andThen(access.target(request), (target) => ({ action: access.action, target }));
}
