/** Prometheus metrics of the service, aggregated over its worker processes. */
import type { FastifyInstance } from "fastify";
import { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

export interface Metrics {
  readonly contentType: string;
  /** In the text format of Prometheus. Collected at most once per {@link MAX_AGE_MS}. */
  text(): Promise<string>;
  /** For metrics of features. Values of worker processes are summed. */
  readonly registry: Registry;
}

/** The other worker processes. Each worker reports the metrics of all. */
export interface MetricsPeers {
  /** The number of this worker: the label `worker` of its process metrics. */
  readonly id: number;
  /** Sets what this worker reports to the others. */
  share(counts: () => Promise<unknown>): void;
  /** The metrics of all workers, including this one. */
  collect(): Promise<readonly unknown[]>;
}

export interface MetricsOptions {
  /** Whether to include memory, CPU and event loop of the process. */
  readonly ofProcess: boolean;
  /** `undefined` without worker processes. */
  readonly peers?: MetricsPeers | undefined;
  /** Milliseconds, monotonic; `performance.now` by default. */
  readonly now?: () => number;
}

/** Histogram buckets: from a cache hit to beyond client timeouts. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
/** How long a result is cached: collecting takes milliseconds, and the route needs no token. */
const MAX_AGE_MS = 1000;

export function createMetrics({ ofProcess, peers, now = () => performance.now() }: MetricsOptions): Metrics {
  const registry = new Registry();
  const ownRegistry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: ownRegistry });
  if (peers !== undefined) ownRegistry.setDefaultLabels({ worker: String(peers.id) });
  const counts = async () => [
    ...(await ownRegistry.getMetricsAsJSON()),
    ...(await registry.getMetricsAsJSON()),
  ];
  peers?.share(counts);
  const collect = async () => textOf(peers === undefined ? [await counts()] : await peers.collect());

  let kept: { readonly text: Promise<string>; readonly since: number } | undefined;
  return {
    contentType: registry.contentType,
    registry,
    text() {
      if (kept !== undefined && now() - kept.since < MAX_AGE_MS) return kept.text;
      const current = { text: collect(), since: now() };
      kept = current;
      current.text.catch(() => {
        if (kept === current) kept = undefined;
      });
      return current.text;
    },
  };
}

/** Sums values with equal labels. */
function textOf(counts: readonly unknown[]): Promise<string> {
  return AggregatorRegistry.aggregate(counts as object[]).metrics();
}

/**
 * Measures requests by route pattern: by path each id would be a series. HEAD counts as GET, and only the counter has the status,
 * so that there are at most some thousands of series.
 */
export function measureRequests(server: FastifyInstance, { registry }: Pick<Metrics, "registry">): void {
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the request's headers to the end of the response.",
    labelNames: ["method", "route"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests by response status.",
    labelNames: ["method", "route", "status"] as const,
    registers: [registry],
  });
  server.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unmatched";
    const method = route === "unmatched" ? "any" : request.method === "HEAD" ? "GET" : request.method;
    durations.labels(method, route).observe(reply.elapsedTime / 1000);
    requests.labels(method, route, String(reply.statusCode)).inc();
    done();
  });
}
