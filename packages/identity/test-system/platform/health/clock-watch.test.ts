import { expect, it } from "vitest";

import { examineClock } from "../../../src/doctor/database-checks.js";
import { createLog } from "../../../src/platform/log.js";
import { testReplicas } from "../../../test/test-app.js";
import { postgresDatabases } from "../../../test/databases.js";

interface Line {
  readonly level: string;
  readonly msg: string;
}

it.each([
  ["ahead of", 75_000],
  ["behind", -75_000],
])(
  "reports that a replica's clock is %s the database server's, and stays ready",
  async (side, aheadMs) => {
    const lines: Line[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
    const clocks = [{ now: () => Date.now() }, { now: () => Date.now() + aheadMs }];
    const replicas = await testReplicas(postgresDatabases, 2, { clocks, log });
    const [right, wrong] = replicas.apps;
    const readiness = async (app: typeof right) => {
      const { statusCode, body } = (await app?.server.inject("/readyz")) ?? {};
      return [statusCode, body?.replace(/\d+\.\d/, "SECONDS")];
    };
    const metrics = async (app: typeof right) => (await app?.server.inject("/metrics"))?.body ?? "";
    const skew = (text: string) =>
      Number(/^database_clock_skew_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN);

    await expect
      .poll(() => readiness(wrong))
      .toEqual([200, `The clock is SECONDS s ${side} the database server's.\n`]);
    expect(await readiness(right)).toEqual([200, ""]);
    // A loaded machine answers late, which makes the difference look smaller, never greater.
    const seconds = Math.abs(skew(await metrics(wrong)));
    expect(seconds).toBeGreaterThan(65);
    expect(seconds).toBeLessThanOrEqual(75.1);
    await expect.poll(async () => skew(await metrics(right))).toBe(0);
    const told = lines.filter(({ msg }) => msg.startsWith("the clock is"));
    expect(told).toMatchObject([{ level: "warn" }]);
    expect(told[0]?.msg).toMatch(`s ${side} the database server's: synchronize both by NTP`);

    if (wrong === undefined) throw new Error("there is no replica");
    const [finding] = await examineClock(wrong.database, clocks[1] as (typeof clocks)[0]);
    expect(finding).toMatchObject({ state: "failure", subject: "clock" });
    expect(finding?.text).toMatch(/^this computer's is \d\d\.\d s /);
    await replicas.remove();
  },
  30_000,
);
