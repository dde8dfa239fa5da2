/** Hooks of single routes. */
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";

/**
 * Adds a hook to a route, for a listener of `onRoute`. It runs behind the hooks of the server, and behind those that were added to the route
 * before. A hook of the server runs for each request, also of routes that it has nothing to do for.
 */
export function addRouteHook<Name extends "onRequest" | "preValidation" | "onSend">(
  route: Pick<RouteOptions, Name>,
  name: Name,
  hook: Extract<RouteOptions[Name], (...args: never) => unknown>,
): void {
  const hooks: unknown[] = [route[name] ?? []].flat();
  route[name] = [...hooks, hook] as RouteOptions[Name];
}

/** The hook of a step that waits for nothing with most requests. */
export function hookOf(step: (request: FastifyRequest) => void | Promise<void>) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void | Promise<void> => {
    const waiting = step(request);
    if (waiting instanceof Promise) return waiting;
    done();
  };
}
