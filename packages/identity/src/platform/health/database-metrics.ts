/** Counts what happens to the database, for the log and for Prometheus. */
import type { FastifyBaseLogger } from "fastify";
import { Counter, type Registry } from "prom-client";

import type { DatabaseEvents, RetryReason } from "../database/database.js";

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
    onListRead: (server) => lists.labels(server).inc(),
  };
}

const POOLED =
  "the database is reached through a connection pooler, which loses notifications: changes by other processes are polled for twice a second";
