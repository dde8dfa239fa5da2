/** Requests that no route matches: unknown paths and doubled slashes, 405 for wrong methods, and OPTIONS. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { NotFoundError } from "../errors.js";
import type { Links } from "./links.js";
import { pathOfTarget } from "./request-target.js";

/** Responds to a request without a route. @throws {NotFoundError} */
export function answerUnmatched(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  { allowedMethods, links }: { readonly allowedMethods: AllowedMethods; readonly links: Links },
): FastifyReply {
  const path = pathOfTarget(url);
  const methods = allowedMethods(path);
  if (methods.length > 0) {
    reply.header("allow", methods.join(", "));
    // The content type of an empty response in Keystone.
    if (method === "OPTIONS") return reply.type("text/html; charset=utf-8").send("");
    return reply.code(405).send({ message: "The method is not allowed for the requested URL." });
  }
  const merged = path.replaceAll(/\/{2,}/g, "/");
  if (merged !== path && allowedMethods(merged).length > 0)
    return reply.redirect(links.to(merged + url.slice(path.length)), 308);
  throw new NotFoundError("Could not find the resource. The requested URL was not found on the server.");
}

/** @returns The methods of the routes that match a path without its query; none for an unknown path. */
type AllowedMethods = (path: string) => readonly string[];

/** Watches the routes that are added from now on. */
export function watchMethods(server: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  server.addHook("onRoute", ({ url, method }) => {
    const { methods } = routes.get(url) ?? addRoute(url);
    for (const name of [method].flat()) methods.add(name);
  });

  function addRoute(url: string) {
    const route = { pattern: patternOf(url), methods: new Set<string>() };
    routes.set(url, route);
    return route;
  }

  return (path) => {
    const found = new Set<string>();
    for (const { pattern, methods } of routes.values()) {
      if (pattern.test(path)) for (const name of methods) found.add(name);
    }
    return found.size === 0 ? [] : [...found, "OPTIONS"].toSorted();
  };
}

/** `/v3/regions/:region_id` matches `/v3/regions/one` and `/v3/regions/one/`. */
function patternOf(url: string): RegExp {
  const path = url.replace(/\/$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`);
}
