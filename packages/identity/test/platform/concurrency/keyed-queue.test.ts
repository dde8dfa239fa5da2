import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { createKeyedQueue } from "../../../src/platform/concurrency/keyed-queue.js";

describe("a keyed queue", () => {
  it("does work about one thing in turn, and work about others beside it", async () => {
    const queue = createKeyedQueue({ maxWaiting: 10 });
    const events: string[] = [];
    const work = (key: string, name: string) =>
      queue.run(key, async () => {
        events.push(`${name} begins`);
        await delay(5);
        events.push(`${name} ends`);
        return name;
      });
    expect(await Promise.all([work("a", "a1"), work("a", "a2"), work("b", "b1")])).toEqual([
      "a1",
      "a2",
      "b1",
    ]);
    expect(events.filter((event) => event.startsWith("a"))).toEqual([
      "a1 begins",
      "a1 ends",
      "a2 begins",
      "a2 ends",
    ]);
    expect(events.indexOf("b1 begins")).toBeLessThan(events.indexOf("a1 ends"));
  });

  it("goes on behind work that fails, and turns away who would wait behind too many", async () => {
    const queue = createKeyedQueue({ maxWaiting: 1 });
    const fail = () => queue.run("a", () => Promise.reject(new Error("failed")));
    const settled = await Promise.allSettled([fail(), queue.run("a", () => Promise.resolve(1)), fail()]);
    expect(settled).toMatchObject([
      { reason: { message: "failed" } },
      { value: 1 },
      { reason: { code: "service/busy" } },
    ]);
    expect(await queue.run("a", () => Promise.resolve(2))).toBe(2);
  });
});
