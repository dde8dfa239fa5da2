import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { haproxySettings, patroniSettings } from "./patroni-settings.js";

const GUIDE = readFileSync(new URL("../../../docs/identity/postgresql.md", import.meta.url), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(GUIDE)?.[1] ?? "";

describe("docs/identity/postgresql.md", () => {
  it("has the settings of HAProxy that the failover tests run with", () => {
    const settings = haproxySettings(["10.0.0.1", "10.0.0.2", "10.0.0.3"], 5432);
    expect(block("haproxy")).not.toBe("");
    expect(settings).toContain(block("haproxy"));
  });

  it("has the settings of Patroni that the failover tests run with, except for its times", () => {
    const node = {
      name: "pg1",
      address: "10.0.0.1",
      addresses: [],
      folder: "/",
      programs: "/",
      isSynchronous: true,
    };
    const { bootstrap } = JSON.parse(patroniSettings(node)) as {
      bootstrap: { dcs: { postgresql: { parameters: Record<string, unknown> } } };
    };
    const {
      postgresql: { parameters, ...postgresql },
      ...dcs
    } = bootstrap.dcs;
    const { wal_retrieve_retry_interval: interval } = parameters;
    const lines = Object.entries({ ...dcs, ...postgresql, wal_retrieve_retry_interval: interval })
      .filter(([name]) => !["ttl", "loop_wait", "retry_timeout"].includes(name))
      .map(([name, value]) => `${name}: ${String(value)}`);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(block("yaml")).toContain(line);
  });
});
