/** What the service counts, in the words of Prometheus. */
import type { FastifyInstance } from "fastify";
import { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/** Counts and times of a service. */
export interface Metrics {
  readonly contentType: string;
  /** Everything so far, as Prometheus reads it. Collected at most once in {@link MAX_AGE_MS}. */
  text(): Promise<string>;
  /** Where features register what they count. Counts of several worker processes are added up. */
  readonly registry: Registry;
}

/** The processes that serve together with this one. Whichever is asked answers for all. */
export interface MetricsPeers {
  /** Which one this is: the label `worker` of what is measured of a process. */
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
  /** Milliseconds; that of the process if left out. */
  readonly now?: () => number;
}

/** From a look-up in a cache to an answer that nobody waits for. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
/** How long a text is given again: to collect it takes milliseconds, and needs no token. */
const MAX_AGE_MS = 1000;

/** Begins to count. */
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

/** What has the same labels is added up. */
function textOf(counts: readonly unknown[]): Promise<string> {
  return AggregatorRegistry.aggregate(counts as object[]).metrics();
}

/**
 * Times the requests of a server by route, never by address: ids would make a series each. HEAD counts as GET, and the status only
 * in the count, so that the series of all routes together stay some thousands.
 */
export function measureRequests(server: FastifyInstance, { registry }: Pick<Metrics, "registry">): void {
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the request's headers to the end of the answer.",
    labelNames: ["method", "route"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests by the status of their answer.",
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
