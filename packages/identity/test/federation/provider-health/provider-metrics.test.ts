import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { registerEventMetrics } from "../../../src/events/event-metrics.js";
import { watchService } from "../../../src/platform/health/metrics.js";
import { watchTokenKeys } from "../../../src/tokens/token-metrics.js";
import type { PublishedHealth } from "../../../src/federation/provider-health/provider-health.js";
import {
  createLoginCounts,
  registerPublishedMetrics,
} from "../../../src/federation/provider-health/provider-metrics.js";

/** What providers publish, by their ids, and metrics of it at a time. */
function metricsOf(
  published: Record<string, { ends?: readonly number[]; validUntil?: number; failed?: number }>,
) {
  const registry = new Registry();
  const state = { now: 1_000_000_000_000, reads: 0, warned: 0, isBroken: false };
  registerPublishedMetrics(registry, {
    clock: { now: () => state.now },
    log: { warn: () => void state.warned++ },
    listProviders: async () => {
      if (state.isBroken) throw new Error("no database");
      return Object.keys(published).map((id) => ({ id }));
    },
    async readPublished(id) {
      state.reads++;
      const { ends = [], validUntil, failed = 0 } = published[id] ?? {};
      const keys = ends.map((expiresAt) => ({ expiresAt }));
      return [
        { keys, validUntil, failed: Array.from({ length: failed }) },
      ] as unknown as readonly PublishedHealth[];
    },
  });
  const lines = async () =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith("identity"));
  return { state, lines, registry };
}

const EXPIRY = "identity_provider_expiry_timestamp_seconds";

it("has the earliest end of certificates and of metadata, and downloads that fail, of each provider", async () => {
  const { lines } = metricsOf({
    a: { ends: [1_900_000_000_000, 1_800_000_000_000], validUntil: 1_700_000_000_000 },
    b: { failed: 2 },
    c: {},
  });
  expect(await lines()).toEqual([
    `${EXPIRY}{provider="a",what="certificate"} 1800000000`,
    `${EXPIRY}{provider="a",what="metadata"} 1700000000`,
    'identity_provider_failing_downloads{provider="b"} 2',
  ]);
});

it("is read again after five minutes, in the background, and stays where it can't be read", async () => {
  const published = { b: { failed: 1 } };
  const { state, lines } = metricsOf(published);
  const failing = (count: number) => [`identity_provider_failing_downloads{provider="b"} ${count}`];
  expect(await lines()).toEqual(failing(1));
  published.b = { failed: 2 };
  state.now += 299_000;
  expect(await lines()).toEqual(failing(1));
  expect(state.reads).toBe(1);
  state.now += 1000;
  expect(await lines()).toEqual(failing(1));
  await expect.poll(lines).toEqual(failing(2));
  expect(state.reads).toBe(2);
  state.isBroken = true;
  state.now += 300_000;
  await lines();
  await expect.poll(() => state.warned).toBe(1);
  expect(await lines()).toEqual(failing(2));
});

it("keeps no scrape waiting for a database that does not answer", async () => {
  const registry = new Registry();
  const never = new Promise<never>(() => {});
  const clock = { now: () => 0 };
  registerPublishedMetrics(registry, {
    clock,
    log: { warn: () => {} },
    listProviders: () => never,
    readPublished: () => never,
  });
  watchTokenKeys(registry, {
    clock,
    signingKeys: { load: () => never },
    revocations: { known: () => never },
  });
  registerEventMetrics(registry, { report: () => never }, clock);
  watchService(registry, { version: "1", impairments: () => never, database: {} });
  const text = await registry.metrics();
  expect(text).toContain("\nidentity_ready 0\n");
  expect(text).toMatch(/^identity_build_info\{version="1"/m);
}, 5000);

it("has at most 2,000 series of 600 providers", async () => {
  const ids = Array.from({ length: 600 }, (_, at) => `provider-${at}`);
  const { lines, registry } = metricsOf(
    Object.fromEntries(ids.map((id) => [id, { ends: [1.9e12], failed: 0 }])),
  );
  const counts = createLoginCounts();
  counts.register(registry);
  for (const id of ids) for (const outcome of ["success", "failure"] as const) counts.count(id, outcome);
  const found = await lines();
  expect(found.length).toBeLessThan(2000);
  expect(found).toContain('identity_provider_logins_total{provider="other",outcome="success"} 100');
});
