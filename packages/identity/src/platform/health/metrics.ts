/** Prometheus metrics of the service, aggregated over its worker processes. */
import { createServer, type Server } from "node:http";

import type { FastifyBaseLogger } from "fastify";
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Registry,
  type GaugeConfiguration,
  type MetricObject,
} from "prom-client";

import {
  MIGRATION_WAITS,
  type Database,
  type DatabaseEvents,
  type RetryReason,
} from "../database/database.js";
import { within } from "../concurrency/within.js";
import { pathOfTarget, targetToRoute } from "../http/request-target.js";
import type { LogHealth } from "../log-output/log-output.js";
import { addProcessMetrics } from "./process-metrics.js";

export interface Metrics {
  readonly contentType: string;
  /** In the text format of Prometheus. Collected at most once per {@link MAX_AGE_MS}. */
  text(): Promise<string>;
  /** The same, as prom-client has them. */
  values(): Promise<readonly MetricObject[]>;
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

/** How long a result is cached: collecting takes milliseconds, and the route needs no token. */
const MAX_AGE_MS = 1000;

export function createMetrics({ ofProcess, peers, now = () => performance.now() }: MetricsOptions): Metrics {
  const registry = new Registry();
  const ownRegistry = new Registry();
  if (ofProcess) addProcessMetrics(ownRegistry);
  if (peers !== undefined) ownRegistry.setDefaultLabels({ worker: String(peers.id) });
  const counts = async () => [
    ...(await ownRegistry.getMetricsAsJSON()),
    ...(await registry.getMetricsAsJSON()),
  ];
  peers?.share(counts);
  /** Values with equal labels are summed. */
  const collect = async () =>
    AggregatorRegistry.aggregate(
      (peers === undefined ? [await counts()] : await peers.collect()) as object[],
    );

  let kept: { readonly text: Promise<string>; readonly since: number } | undefined;
  return {
    contentType: registry.contentType,
    registry,
    values: async () => (await collect()).getMetricsAsJSON(),
    text() {
      if (kept !== undefined && now() - kept.since < MAX_AGE_MS) return kept.text;
      const current = { text: collect().then((all) => all.metrics()), since: now() };
      kept = current;
      current.text.catch(() => {
        if (kept === current) kept = undefined;
      });
      return current.text;
    },
  };
}

/** Counts the lines that the log lacks. */
export function watchLog(registry: Registry, log: Pick<LogHealth, "dropped">): void {
  void new Counter({
    name: "log_lines_dropped_total",
    help: "Log lines that could not be written, and were dropped.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(log.dropped());
    },
  });
}

/** The events of a database, counted and logged. All series exist from the start. */
export function watchDatabase(
  registry: Registry,
  log: Pick<FastifyBaseLogger, "info" | "warn">,
): DatabaseEvents {
  const retries = new Counter({
    name: "database_transaction_retries_total",
    help: "Transactions repeated after a conflict, or on a server that had become read-only.",
    labelNames: ["reason"] as const,
    registers: [registry],
  });
  const failovers = new Counter({
    name: "database_failovers_total",
    help: "Changes to another host of the address of the database.",
    registers: [registry],
  });
  const lists = new Counter({
    name: "database_list_reads_total",
    help: "Queries of lists by the server that answered, where standbys are configured.",
    labelNames: ["server"] as const,
    registers: [registry],
  });
  const lag = new Gauge({
    name: "database_standby_lag_bytes",
    help: "What a standby had not replayed of the primary's log when a list last asked it.",
    labelNames: ["standby"] as const,
    registers: [registry],
    aggregator: "max",
  });
  const reasons: readonly RetryReason[] = ["serialization_failure", "deadlock", "read_only"];
  for (const reason of reasons) retries.labels(reason).inc(0);
  return {
    onConnectionLost: (error) => log.warn({ err: error }, "connection to the database lost"),
    onRetry: (reason) => retries.labels(reason).inc(),
    onFailover() {
      failovers.inc();
      log.warn("the database failed over to another host");
    },
    onPooler: () => log.info(POOLED),
    onMigrationWait: () => log.warn(MIGRATION_WAITS),
    onListRead: (server) => lists.labels(server).inc(),
    onStandbyLag: (host, behind) => lag.labels(host).set(behind),
  };
}

/** How long metrics wait for the database: a scrape gets the others without it. */
export const MAX_COLLECTING_MS = 1000;

/** What a process reports of itself; workers are summed up, but for what all share. */
export interface ServiceState {
  readonly version: string;
  /** As `/readyz` has it: rejects while no request can be served. */
  readonly impairments: () => Promise<readonly string[]>;
  readonly database: Pick<Database, "poolUse">;
}

export function watchService(registry: Registry, { version, impairments, database }: ServiceState): void {
  const gauge = (
    name: string,
    help: string,
    collect: (this: Gauge) => void | Promise<void>,
    more: Partial<GaugeConfiguration<string>> = {},
  ) => new Gauge({ name, help, collect, registers: [registry], ...more });

  gauge(
    "identity_build_info",
    "1, with the versions of the service and of Node.",
    function () {
      this.set({ version, node: process.versions.node }, 1);
    },
    { labelNames: ["version", "node"], aggregator: "max" },
  );
  let state: Promise<readonly string[] | undefined> | undefined;
  /** Once for both metrics of a collection. */
  const read = () =>
    (state ??= within(MAX_COLLECTING_MS, impairments())
      .catch(() => undefined)
      .finally(() => (state = undefined)));
  gauge(
    "identity_ready",
    "1 if requests can be served, as /readyz responds; 0 otherwise, such as without the database.",
    async function () {
      this.set((await read()) === undefined ? 0 : 1);
    },
    { aggregator: "min" },
  );
  gauge(
    "identity_impairments",
    "What is impaired: the sentences of /readyz.",
    async function () {
      this.set((await read())?.length ?? 0);
    },
    { aggregator: "max" },
  );
  if (database.poolUse === undefined) return;
  const use = () => database.poolUse?.() ?? { open: 0, idle: 0, max: 0, waiting: 0 };
  gauge(
    "database_connections",
    "Open connections to PostgreSQL for requests, by state.",
    function () {
      const { open, idle } = use();
      this.set({ state: "idle" }, idle);
      this.set({ state: "used" }, open - idle);
    },
    { labelNames: ["state"] },
  );
  gauge("database_connections_max", "Connections to PostgreSQL for requests at most.", function () {
    this.set(use().max);
  });
  gauge("database_connections_waiting", "Requests that wait for a connection to PostgreSQL.", function () {
    this.set(use().waiting);
  });
}

const POOLED =
  "the database is reached through a connection pooler, which loses notifications: changes by other processes are polled for twice a second";

/** Plain HTTP, for the operator's network. Other paths are 404. */
export function createMetricsServer(
  metrics: Pick<Metrics, "text" | "contentType">,
  { log }: { readonly log: Pick<FastifyBaseLogger, "error"> },
): Server {
  return createServer((request, response) => {
    const path = pathOfTarget(targetToRoute(request.url ?? ""));
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
