/** For those who watch over the service: is it alive, may it be given requests, what has it done. */
import { UnavailableError } from "../errors.js";
import type { HttpServer } from "../http/http-server.js";
import type { Metrics } from "./metrics.js";

/** How long the database may take to answer before it counts as gone. */
const PING_MS = 2000;

/** What the routes look at. */
export interface HealthDeps {
  /** What works less well than it should, a sentence each. Rejects where nothing can be served. */
  readonly impairments: () => Promise<readonly string[]>;
  /** Whether the service is about to end, and wants no more requests. */
  readonly isStopping: () => boolean;
  /** Left out where nobody may read them here. */
  readonly metrics?: Metrics | undefined;
}

/**
 * Adds `/healthcheck` (alive: 200), `/readyz` (able to serve: 200, else 503; the text says what is impaired, and is empty where
 * nothing is) and `/metrics` (for Prometheus).
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

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new UnavailableError("The database does not answer.")), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
