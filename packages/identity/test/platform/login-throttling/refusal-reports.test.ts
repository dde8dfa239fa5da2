/** Log lines about logins that a limit rejects. */
import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";

import type { LoginRefusal } from "../../../src/platform/login-throttling/login-throttle.js";
import {
  createRefusalReports,
  type RefusalReports,
} from "../../../src/platform/login-throttling/login-throttling.js";

let now: number;
let lines: { readonly loginLimit: Record<string, unknown> }[];
let registry: Registry;
let reports: RefusalReports;
beforeEach(() => {
  now = 1_000_000;
  lines = [];
  registry = new Registry();
  reports = createRefusalReports({ now: () => now });
  const log = { warn: (facts: object) => void lines.push(facts as (typeof lines)[number]) };
  reports.start({ log, registry }, { admit: () => Promise.reject(new Error()), waiting: 3, waited: 7 });
});

const refusal = (key: string): LoginRefusal => ({
  limit: "network",
  key,
  retryAfterSeconds: 3,
  windowSeconds: 300,
  subject: undefined,
  network: "192.0.2.66",
});

describe("reports of rejected attempts", () => {
  it("are a line of the log in each window of a limit, and a count of each", async () => {
    for (let attempt = 0; attempt < 100; attempt++) reports.refused(refusal("a"));
    expect(lines).toEqual([
      {
        loginLimit: {
          limit: "network",
          subject: "unknown account",
          network: "192.0.2.66",
          retryAfterSeconds: 3,
        },
      },
    ]);
    now += 299_999;
    reports.refused(refusal("a"));
    expect(lines).toHaveLength(1);
    now += 1;
    reports.refused(refusal("a"));
    expect(lines).toHaveLength(2);
    const text = await registry.metrics();
    expect(text).toContain('login_attempts_refused_total{limit="network"} 102');
    expect(text).toContain("login_attempts_waiting 3");
    expect(await registry.metrics()).toContain("login_attempts_waited_total 7");
  });

  it("can't flood the log: lines that were withheld are counted in the next one", () => {
    for (let network = 0; network < 1000; network++) reports.refused(refusal(`network-${network}`));
    expect(lines).toHaveLength(30);
    now += 2000;
    reports.refused(refusal("another"));
    expect(lines.at(-1)?.loginLimit).toMatchObject({ withheld: 970 });
  });
});
