/** Metrics as a collector gets them by OTLP: those of Prometheus, by the same names. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { Counter, Gauge, Histogram } from "prom-client";
import { afterEach, expect, it } from "vitest";

import { createLog } from "../../../src/platform/log.js";
import { createMetrics } from "../../../src/platform/health/metrics.js";
import { startMetricsExport } from "../../../dist/platform/health/otlp-metrics.js";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}
interface Point {
  readonly attributes: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}
interface SentMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly sum?: { dataPoints: Point[]; isMonotonic: boolean; aggregationTemporality: number };
  readonly gauge?: { dataPoints: Point[] };
  readonly histogram?: { dataPoints: Point[]; aggregationTemporality: number };
}
interface Sent {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[];
  }[];
}

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

async function collector() {
  const received: Sent[] = [];
  const state = { status: 200 };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = (await json(request)) as Sent;
    if (state.status === 200) received.push(sent);
    response.writeHead(state.status, { "content-type": "application/json" }).end("{}");
  }
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closings.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  const lines: string[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  const url = `http://127.0.0.1:${port}/v1/metrics`;
  return {
    received,
    state,
    lines,
    start: (
      metrics: Parameters<typeof startMetricsExport>[0],
      now = () => 1_700_000_000_000,
      everySeconds = 3600,
    ) =>
      startMetricsExport(
        metrics,
        { url, everySeconds },
        { clock: { now }, log, version: "1.2.3", port: 5000 },
      ),
  };
}

/** Two workers that share a counter, a gauge and a histogram. */
function metricsOfWorkers() {
  const collected: (() => Promise<unknown>)[] = [];
  const workers = [1, 2].map((id) =>
    createMetrics({
      ofProcess: true,
      peers: {
        id,
        share: (counts) => void collected.push(counts),
        collect: () => Promise.all(collected.map((counts) => counts())),
      },
    }),
  );
  for (const { registry } of workers) {
    const registers = [registry];
    const refused = new Counter({
      name: "logins_refused_total",
      help: "Refused logins.",
      labelNames: ["reason"],
      registers,
    });
    refused.labels("wrong-password").inc(2);
    new Gauge({ name: "pool_bytes", help: "Of the pool.", registers }).set(1.5);
    const took = new Histogram({
      name: "answer_seconds",
      help: "Time to the answer.",
      labelNames: ["route"],
      buckets: [0.1, 1],
      registers,
    });
    for (const seconds of [0.05, 0.5, 0.5, 7]) took.labels("/v3").observe(seconds);
  }
  return workers[0] as (typeof workers)[number];
}

it("has the sums of all workers, as OpenTelemetry counts them", async () => {
  const { received, start } = await collector();
  let now = 1_700_000_000_000;
  const sending = start(metricsOfWorkers(), () => now);
  now += 60_000;
  await sending.close();
  expect(received).toHaveLength(1);
  const { resource, scopeMetrics } = received[0]?.resourceMetrics[0] ?? { scopeMetrics: [] };
  const facts = Object.fromEntries(
    resource?.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [],
  );
  expect(facts).toMatchObject({ "service.name": "hamkit-identity", "service.version": "1.2.3" });
  expect(facts["service.instance.id"]).toMatch(/:5000$/);
  const byName = new Map(scopeMetrics.flatMap(({ metrics }) => metrics.map((each) => [each.name, each])));
  const times = { startTimeUnixNano: "1700000000000000000", timeUnixNano: "1700000060000000000" };
  expect(byName.get("logins_refused_total")).toEqual({
    name: "logins_refused_total",
    description: "Refused logins.",
    unit: "",
    sum: {
      // 2: cumulative.
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [
        {
          ...times,
          attributes: [{ key: "reason", value: { stringValue: "wrong-password" } }],
          asDouble: 4,
        },
      ],
    },
  });
  expect(byName.get("pool_bytes")).toMatchObject({ unit: "By", gauge: { dataPoints: [{ asDouble: 3 }] } });
  expect(byName.get("answer_seconds")).toMatchObject({
    unit: "s",
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          attributes: [{ key: "route", value: { stringValue: "/v3" } }],
          count: 8,
          sum: 16.1,
          explicitBounds: [0.1, 1],
          bucketCounts: [2, 4, 2],
        },
      ],
    },
  });
  const memory = byName.get("process_resident_memory_bytes")?.gauge?.dataPoints ?? [];
  expect(memory.map(({ attributes }) => attributes)).toEqual(
    ["1", "2"].map((worker) => [{ key: "worker", value: { stringValue: worker } }]),
  );
});

it("has all names of /metrics", async () => {
  const { received, start } = await collector();
  const metrics = metricsOfWorkers();
  await start(metrics).close();
  const names = received[0]?.resourceMetrics[0]?.scopeMetrics[0]?.metrics.map(({ name }) => name) ?? [];
  const shown = Array.from((await metrics.text()).matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names)).toEqual(new Set(shown));
});

it("is sent again and again, and reports once that the collector fails, and once that it does not", async () => {
  const { received, state, lines, start } = await collector();
  state.status = 400;
  const sending = start(metricsOfWorkers(), Date.now, 0.02);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  state.status = 200;
  await expect.poll(() => received.length).toBeGreaterThan(2);
  await sending.close();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "metrics not sent to the collector",
    "metrics are sent again",
  ]);
});

it("ends although the collector does not answer", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closings.push(() => (server.closeAllConnections(), server.close()));
  const log = createLog("error", { write: () => {} });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  const deps = { clock: { now: Date.now }, log, version: "1.2.3", port: 5000 };
  const sending = startMetricsExport(metricsOfWorkers(), { url, everySeconds: 3600 }, deps);
  const startedAt = performance.now();
  await sending.close();
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

it("reports values that can't be collected, and ends without them", async () => {
  const { received, lines, start } = await collector();
  const sending = start({ values: () => Promise.reject(new Error("a worker died")) }, Date.now, 0.02);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await sending.close();
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    msg: "metrics not collected",
    err: { message: "a worker died" },
  });
  expect(received).toEqual([]);
});
