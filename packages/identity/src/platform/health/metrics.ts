/** What the service counts, in the words of Prometheus. */
import type { FastifyInstance } from "fastify";
import { AggregatorRegistry, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** Counts and times of a service. */
export interface Metrics {
  readonly contentType: string;
  /** Everything so far, as Prometheus reads it. */
  text(): Promise<string>;
  /** Where features register what they count. */
  readonly registry: Registry;
}

/** The processes that serve together with this one. Whichever is asked answers for all. */
export interface MetricsPeers {
  /** Which one this is: the label `worker` of all that it counts. */
  readonly id: number;
  /** Answers the others from now on. */
  share(counts: () => Promise<unknown>): void;
  /** What all of them have counted, this one included. */
  collect(): Promise<readonly unknown[]>;
}

export interface MetricsOptions {
  /** Whether memory, processor and event loop belong to it: one of a process does that. */
  readonly ofProcess: boolean;
  /** Left out where this process serves alone. */
  readonly peers?: MetricsPeers | undefined;
}

/** From a look-up in a cache to an answer that nobody waits for. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Begins to count. */
export function createMetrics({ ofProcess, peers }: MetricsOptions): Metrics {
  const registry = new Registry();
  const { contentType } = registry;
  if (ofProcess) collectDefaultMetrics({ register: registry });
  if (peers === undefined) return { contentType, text: () => registry.metrics(), registry };
  registry.setDefaultLabels({ worker: String(peers.id) });
  peers.share(() => registry.getMetricsAsJSON());
  return { contentType, text: async () => textOf(await peers.collect()), registry };
}

/** Their labels tell processes apart, so that nothing is added up. */
function textOf(counts: readonly unknown[]): Promise<string> {
  return AggregatorRegistry.aggregate(counts as object[]).metrics();
}

/** Times the requests of a server by route, never by address: ids would make a series each. */
export function measureRequests(server: FastifyInstance, { registry }: Metrics): void {
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the request's headers to the end of the answer.",
    labelNames: ["method", "route", "status"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  server.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unmatched";
    const method = route === "unmatched" ? "any" : request.method;
    durations.labels(method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    done();
  });
}
