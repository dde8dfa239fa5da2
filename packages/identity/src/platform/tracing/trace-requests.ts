/** Traces the requests of a server. */
import type { FastifyInstance } from "fastify";

import { addRouteHook } from "../http/route-hooks.js";
import { REQUEST_ID } from "../log.js";
import type { RequestSpan, RequestTracer } from "./otlp-tracer.js";

declare module "fastify" {
  interface FastifyRequest {
    /** `undefined` for a request that is not traced. */
    span: RequestSpan | undefined;
  }
}

/** All routes added afterwards. Log lines of a traced request have its `trace`. */
export function traceRequests(server: FastifyInstance, tracer: Pick<RequestTracer, "begin">): void {
  server.decorateRequest("span");
  server.addHook("onRequest", (request, reply, done) => {
    const { id, method, headers } = request;
    const { traceparent } = headers;
    const span = tracer.begin({
      id,
      method,
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
    });
    if (span === undefined) {
      done();
      return;
    }
    request.span = span;
    // Not a child of the request's log: V8 makes a prototype of what has children, and what reads logs of requests is slower from then on.
    request.log = server.log.child({ [REQUEST_ID]: id, trace: span.traceId });
    // Not the end of the request, before which a client that hangs up may wait for its handler.
    reply.raw.once("close", () => {
      const status = reply.raw.writableEnded ? reply.statusCode : undefined;
      span.end({ route: request.routeOptions.url ?? "unmatched", status });
    });
    span.run(done);
  });
  server.addHook("onRoute", (route) => {
    if (route.method === "GET" || route.method === "HEAD") return;
    // The events of a body's stream have no context.
    addRouteHook(route, "preValidation", (request, _reply, done) => {
      if (request.span === undefined) done();
      else request.span.run(done);
    });
  });
}
