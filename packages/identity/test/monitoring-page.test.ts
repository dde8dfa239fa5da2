/** docs/identity/monitoring.md, alerts and dashboard name the metrics that there are, all of them. */
import { readFileSync } from "node:fs";

import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { registerEventMetrics } from "../src/events/event-metrics.js";
import { watchClock } from "../src/platform/health/clock-watch.js";
import { watchService } from "../src/platform/health/metrics.js";
import type { Database } from "../src/platform/database/database.js";
import { systemClock } from "../src/platform/clock.js";
import { createLog } from "../src/platform/log.js";
import { sqliteDatabases } from "./databases.js";
import { testApp, type TestApp } from "./test-app.js";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const page = read("docs/identity/monitoring.md");
const alerts = read("deploy/prometheus/identity-alerts.yml");
const dashboard = read("deploy/grafana/identity.json");

let service: TestApp;
let names: ReadonlySet<string>;
beforeAll(async () => {
  service = await testApp(sqliteDatabases, { IDENTITY_RATE_LIMIT: "on" });
  const { body } = await service.app.server.inject("/metrics");
  // Those of PostgreSQL, and of receivers of events.
  const registry = new Registry();
  const use = { open: 1, idle: 1, max: 10, waiting: 0 };
  watchService(registry, { version: "", impairments: async () => [], database: { poolUse: () => use } });
  registerEventMetrics(registry, { report: async () => [] }, systemClock);
  const database = { kind: "postgres" } as unknown as Database;
  watchClock({ database, clock: systemClock, log: createLog("error", { write: () => {} }), registry });
  const text = body + (await registry.metrics());
  names = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
});
afterAll(() => service.remove());

const isOfProcess = (name: string) => /^(?:process|nodejs)_/.test(name);

/** Metrics that a text in PromQL names. */
const namedIn = (text: string) =>
  [...text.matchAll(/\b[a-z]+_[a-z_0-9]+(?=[{[)\s]|$)/gm)]
    .map(([name]) => name.replace(/_(?:bucket|count)$/, ""))
    .filter((name) => /^(?:http|identity|database|login|log|master|secrets|process|nodejs)_/.test(name));

describe("docs/identity/monitoring.md", () => {
  it("lists the metrics that the service has, each once", () => {
    const listed = [...page.matchAll(/^\| `([a-z_]+)` /gm)].map(([, name]) => name);
    const byName = (one = "", other = "") => one.localeCompare(other);
    const had = [...names].filter((name) => !isOfProcess(name));
    expect(listed.toSorted(byName)).toEqual(had.toSorted(byName));
  });

  it("says what to do for each alert, and names no other", () => {
    const defined = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const explained = [...page.matchAll(/^### (\w+)/gm)].map(([, name]) => name);
    const ofObjectives = ["IdentityErrorBudgetBurnsFast", "IdentityErrorBudgetBurns"];
    expect(defined).toEqual([...explained, ...ofObjectives]);
    const pages = [...alerts.matchAll(/page: docs\/identity\/monitoring\.md#(\w+)/g)].map(
      ([, anchor]) => anchor,
    );
    expect(pages).toEqual([
      ...explained.map((name) => name?.toLowerCase()),
      ...ofObjectives.map(() => "objectives"),
    ]);
  });
});

it.each([
  ["alerts", alerts],
  [
    "dashboard",
    (JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }).panels
      .flatMap(({ targets }) => targets.map(({ expr }) => expr))
      .join("\n"),
  ],
])("the %s ask for metrics that there are", (_name, text) => {
  const asked = namedIn(text).filter((name) => !isOfProcess(name));
  expect(asked.length).toBeGreaterThan(12);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});
