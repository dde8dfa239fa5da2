/** Which pages of other origins may use the service from a browser (CORS), and which headers they may send and read. */
import type { FastifyInstance } from "fastify";

import { pathOfTarget, targetToRoute } from "./request-target.js";

/** Headers that pages may send in addition to the safelisted ones. No cookies: tokens are in headers. */
const ALLOWED_HEADERS = "Accept, Content-Type, X-Auth-Token, X-Subject-Token, OpenStack-Auth-Receipt";
/** Headers of responses that they may read. */
const EXPOSED_HEADERS =
  "X-Subject-Token, X-OpenStack-Request-Id, OpenStack-Auth-Receipt, Location, Retry-After, WWW-Authenticate";
const ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** How long a browser may cache the permission. */
const MAX_AGE_SECONDS = "600";

/**
 * Lets pages of other origins use the service (CORS).
 *
 * @param origins Such as `https://console.example.org`, exactly as browsers send them.
 * @param options.ownPath What begins with it is for the service's own pages only.
 */
export function allowOrigins(
  server: FastifyInstance,
  origins: readonly string[],
  { ownPath }: { readonly ownPath?: string | undefined } = {},
): void {
  if (origins.length === 0) return;
  server.addHook("onRequest", (request, reply, done) => {
    if (ownPath !== undefined && isBelow(pathOfTarget(targetToRoute(request.originalUrl)), ownPath))
      return done();
    // For caches, in every response.
    reply.header("vary", "X-Auth-Token, Origin");
    const { origin = "" } = request.headers;
    if (!origins.includes(origin)) return done();
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", EXPOSED_HEADERS);
    const isPreflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
    if (!isPreflight) return done();
    reply.header("access-control-allow-methods", ALLOWED_METHODS);
    reply.header("access-control-allow-headers", ALLOWED_HEADERS);
    reply.header("access-control-max-age", MAX_AGE_SECONDS);
    reply.code(204).send();
  });
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
