/** What requests to directories take, and the connections that are open to them: of all domains together. */
import { Gauge, Histogram, type Registry } from "prom-client";

import type { Directory, DirectoryConnections } from "./directory.js";

/** Seconds; a directory is asked for five at most, and for lists for thirty. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30];

export function createDirectoryMetrics() {
  const durations = new Histogram({
    name: "identity_directory_request_duration_seconds",
    help: "Time of a request to a directory, by operation and outcome.",
    labelNames: ["operation", "outcome"] as const,
    buckets: BUCKETS,
    registers: [],
  });

  async function timed<Result>(operation: string, work: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    const observe = (outcome: string) =>
      durations.labels(operation, outcome).observe((performance.now() - begun) / 1000);
    try {
      const result = await work();
      observe("answered");
      return result;
    } catch (error) {
      observe("failed");
      throw error;
    }
  }

  return {
    /** The same directory, whose requests are measured. */
    measured(directory: Directory): Directory {
      return {
        search: (search) => timed("search", () => directory.search(search)),
        searchPages: (search, onPage) => timed("list", () => directory.searchPages(search, onPage)),
        bindAs: (dn, password) => timed("login", () => directory.bindAs(dn, password)),
        use: () => directory.use(),
        close: () => directory.close(),
      };
    },

    /** @param uses Of the directories that are open. */
    register(registry: Registry, uses: () => readonly DirectoryConnections[]): void {
      registry.registerMetric(durations);
      const sum = (key: keyof DirectoryConnections) => uses().reduce((total, use) => total + use[key], 0);
      // oxlint-disable-next-line no-new
      new Gauge({
        name: "identity_directory_connections",
        help: "Open connections to directories with the service's account, by state.",
        labelNames: ["state"] as const,
        registers: [registry],
        collect() {
          this.set({ state: "idle" }, sum("idle"));
          this.set({ state: "used" }, sum("used"));
        },
      });
      // oxlint-disable-next-line no-new
      new Gauge({
        name: "identity_directory_requests_waiting",
        help: "Requests to directories that wait for a connection.",
        registers: [registry],
        collect() {
          this.set(sum("waiting"));
        },
      });
    },
  };
}
