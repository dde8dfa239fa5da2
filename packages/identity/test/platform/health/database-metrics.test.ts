import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { watchDatabase } from "../../../src/platform/health/metrics.js";

it("counts retries by reason, failovers, and lists by server; logs what an operator has to know", async () => {
  const registry = new Registry();
  const lines: string[] = [];
  const note = (...given: unknown[]) => void lines.push(String(given.at(-1)));
  const events = watchDatabase(registry, { info: note, warn: note });
  expect(await registry.metrics()).toContain('database_transaction_retries_total{reason="deadlock"} 0');
  events.onRetry?.("deadlock");
  events.onRetry?.("serialization_failure");
  events.onRetry?.("deadlock");
  events.onFailover?.();
  events.onListRead?.("standby");
  events.onPooler?.();
  const text = await registry.metrics();
  for (const line of [
    'database_transaction_retries_total{reason="deadlock"} 2',
    'database_transaction_retries_total{reason="serialization_failure"} 1',
    'database_transaction_retries_total{reason="read_only"} 0',
    "database_failovers_total 1",
    'database_list_reads_total{server="standby"} 1',
  ])
    expect(text).toContain(line);
  expect(lines).toEqual([
    "the database failed over to another host",
    expect.stringContaining("through a connection pooler"),
  ]);
});
