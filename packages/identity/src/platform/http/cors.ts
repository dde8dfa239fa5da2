/** Cross-origin resource sharing (CORS): lets pages of configured origins use the service from a browser. */
import type { FastifyInstance } from "fastify";

/** Headers that such a page may send and read in addition to the safelisted ones. No cookies: tokens are in headers. */
const SENT = "Accept, Content-Type, X-Auth-Token, X-Subject-Token, OpenStack-Auth-Receipt";
const READ =
  "X-Subject-Token, X-OpenStack-Request-Id, OpenStack-Auth-Receipt, Location, Retry-After, WWW-Authenticate";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** How long a browser may cache the permission. */
const MAX_AGE_SECONDS = "600";

/**
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
    if (ownPath !== undefined && isBelow(request.originalUrl, ownPath)) return done();
    // For caches, in every response.
    reply.header("vary", "X-Auth-Token, Origin");
    const { origin = "" } = request.headers;
    if (!origins.includes(origin)) return done();
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", READ);
    const isPreflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
    if (!isPreflight) return done();
    reply.header("access-control-allow-methods", METHODS);
    reply.header("access-control-allow-headers", SENT);
    reply.header("access-control-max-age", MAX_AGE_SECONDS);
    reply.code(204).send();
  });
}

function isBelow(url: string, path: string): boolean {
  return url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`);
}
