/** Routes for monitoring: liveness, readiness, metrics. */
import { within } from "../concurrency/within.js";
import { UnavailableError } from "../errors.js";
import type { HttpServer } from "../http/http-server.js";
import type { Metrics } from "./metrics.js";

/** Beyond this time the database counts as unavailable. */
const PING_MS = 2000;

export interface HealthDeps {
  /** Degraded functions, a sentence each. Rejects if no request can be served. */
  readonly impairments: () => Promise<readonly string[]>;
  /** Whether the service is shutting down. */
  readonly isStopping: () => boolean;
  /** `undefined` if metrics are disabled here. */
  readonly metrics?: Metrics | undefined;
}

/**
 * Adds `/healthcheck` (alive: 200), `/readyz` (ready: 200, else 503; the body lists impairments, if any) and `/metrics`
 * (Prometheus).
 */
export function addHealthRoutes(server: HttpServer, { impairments, isStopping, metrics }: HealthDeps): void {
  server.get("/healthcheck", (_request, reply) =>
    reply.removeHeader("vary").type("text/plain; charset=UTF-8").send(""),
  );

  server.get("/readyz", async (_request, reply) => {
    if (isStopping()) throw new UnavailableError("The service is stopping.");
    const impaired = await within(PING_MS, impairments());
    return reply
      .removeHeader("vary")
      .type("text/plain; charset=UTF-8")
      .send(impaired.map((sentence) => `${sentence}\n`).join(""));
  });

  if (metrics === undefined) return;
  server.get("/metrics", async (_request, reply) =>
    reply
      .removeHeader("vary")
      .type(metrics.contentType)
      .send(await metrics.text()),
  );
}
