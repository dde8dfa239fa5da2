import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";

import { collectDefaultMetrics, Registry } from "prom-client";
import { describe, expect, it, vi } from "vitest";

import { createMetrics, createMetricsServer } from "../../../src/platform/health/metrics.js";
import { measureRequests } from "../../../src/platform/health/request-metrics.js";
import { testServer } from "../../test-server.js";

const METHODS = ["HEAD", "GET", "POST", "PATCH", "DELETE"] as const;
const STATUSES = [200, 201, 204, 400, 401, 403, 404, 409, 413, 429, 500, 503];

/** A service of as many routes as the real one, each asked by every method with every answer. */
async function busyService(metrics: ReturnType<typeof createMetrics>) {
  const { server } = testServer();
  measureRequests(server, metrics);
  for (let route = 0; route < 60; route++)
    for (const method of METHODS)
      server.route({
        method,
        url: `/v3/OS-SOME/things_of_a_long_name_${route}/:thing_id/parts/:part_id`,
        handler: (request, reply) =>
          reply.code(Number((request.query as { status: string }).status)).send(""),
      });
  for (let route = 0; route < 60; route++)
    for (const method of METHODS)
      for (const status of STATUSES)
        await server.inject({
          method,
          url: `/v3/OS-SOME/things_of_a_long_name_${route}/a/parts/b?status=${status}`,
        });
  for (let path = 0; path < 50; path++) await server.inject(`/guessed/${path}`);
  return server;
}

describe("metrics", () => {
  it("stay small when every route has given every answer, and count unmatched paths as one", async () => {
    const metrics = createMetrics({ ofProcess: false });
    const server = await busyService(metrics);
    const text = await metrics.text();
    expect(text.length).toBeLessThan(900_000);
    expect(text).toContain('http_requests_total{method="any",route="unmatched",status="404"} 50\n');
    expect(text).not.toContain("guessed");
    expect(text).not.toContain('method="HEAD"');
    expect(text).toContain(
      'http_requests_total{method="GET",route="/v3/OS-SOME/things_of_a_long_name_0/:thing_id/parts/:part_id",status="200"} 2\n',
    );
    await server.close();
  });

  it("are collected once in a second, however often they are asked for", async () => {
    let collected = 0;
    let now = 0;
    const peers = {
      id: 1,
      share() {},
      collect: () => {
        collected++;
        return Promise.resolve([]);
      },
    };
    const metrics = createMetrics({ ofProcess: false, peers, now: () => now });
    await Promise.all(Array.from({ length: 100 }, () => metrics.text()));
    now = 999;
    await metrics.text();
    expect(collected).toBe(1);
    now = 1000;
    await metrics.text();
    expect(collected).toBe(2);
  });

  it("of several workers are added up, but not those of their processes", async () => {
    const shares: (() => Promise<unknown>)[] = [];
    const all = [1, 2].map((id) =>
      createMetrics({
        ofProcess: id === 1,
        peers: {
          id,
          share: (counts) => void shares.push(counts),
          collect: () => Promise.all(shares.map((counts) => counts())),
        },
      }),
    );
    for (const metrics of all) {
      const { server } = testServer();
      measureRequests(server, metrics);
      await server.inject("/");
      await server.close();
    }
    const text = await all[1]?.text();
    expect(text).toContain('http_requests_total{method="any",route="unmatched",status="404"} 2\n');
    expect(text).toMatch(/process_resident_memory_bytes\{worker="1"\} \d/);
  });

  it("of the process are those of prom-client, without an observer of collections, which costs short requests up to a tenth", async () => {
    const observe = vi.spyOn(PerformanceObserver.prototype, "observe").mockReturnValue();
    const text = await createMetrics({ ofProcess: true }).text();
    expect(observe).not.toHaveBeenCalled();
    const names = Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name = ""]) => name);
    const all = new Registry();
    collectDefaultMetrics({ register: all });
    observe.mockRestore();
    const known = (await all.getMetricsAsJSON()).map(({ name }) => name);
    // Times of starts can't be summed over workers.
    const others = new Set(["nodejs_gc_duration_seconds", "process_start_time_seconds"]);
    expect(names).toEqual(known.filter((name) => !others.has(name)));
  });

  it("answer on a port of their own, where nothing else does", async () => {
    const metrics = createMetrics({ ofProcess: true });
    const server = createMetricsServer(metrics, { log: { error() {} } }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await fetch(`${url}/metrics?x=1`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    expect(await answer.text()).toContain("process_resident_memory_bytes ");
    for (const path of ["/", "/v3", "/metrics/x"]) expect((await fetch(url + path)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(404);
    server.closeAllConnections();
    server.close();
  });
});
