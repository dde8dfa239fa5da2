/** Serves `/metrics` on a separate port, which clients of the service need not reach. */
import { createServer, type Server } from "node:http";

import type { FastifyBaseLogger } from "fastify";

import type { Metrics } from "./metrics.js";

/** Plain HTTP, for the operator's network. Other paths are 404. */
export function createMetricsServer(
  metrics: Pick<Metrics, "text" | "contentType">,
  { log }: { readonly log: Pick<FastifyBaseLogger, "error"> },
): Server {
  return createServer((request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, "metrics not collected");
        response.writeHead(500).end();
      },
    );
  });
}
