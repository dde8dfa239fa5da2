import { describe, expect, it } from "vitest";

import { createRequestQueue, systemClock } from "../../src/io/request-queue.js";
import { manualClock } from "../fixtures/manual-clock.js";

/** A queue with a clock, and when each request began. */
function setUp({ concurrency = 4, intervalMs = 100 } = {}) {
  const clock = manualClock();
  const queue = createRequestQueue<string>({ concurrency, intervalMs, clock });
  const starts: [key: string, at: number][] = [];
  /** Takes so long. */
  const ask = (key: string, milliseconds = 0): Promise<string> =>
    queue.ask(key, async () => {
      starts.push([key, clock.now()]);
      if (milliseconds > 0) await clock.sleep(milliseconds);
      return `answer to ${key}`;
    });
  return { clock, queue, starts, ask };
}

describe("createRequestQueue", () => {
  it("begins the first request at once, and the others in their order with the interval between", async () => {
    const { clock, starts, ask } = setUp();
    const answers = Promise.all(["a", "b", "c"].map((key) => ask(key)));
    await clock.advance(1000);
    expect(await answers).toEqual(["answer to a", "answer to b", "answer to c"]);
    expect(starts).toEqual([
      ["a", 0],
      ["b", 100],
      ["c", 200],
    ]);
  });

  it("has no more requests under way than it may", async () => {
    const { clock, starts, ask } = setUp({ concurrency: 2, intervalMs: 0 });
    const answers = Promise.all(["a", "b", "c", "d"].map((key) => ask(key, 500)));
    await clock.advance(2000);
    await answers;
    expect(starts).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 500],
      ["d", 500],
    ]);
  });

  it("joins equal requests in flight, and sends a new one afterwards", async () => {
    const { clock, starts, ask } = setUp();
    const both = Promise.all([ask("a", 50), ask("a", 50)]);
    await clock.advance(200);
    expect(await both).toEqual(["answer to a", "answer to a"]);
    expect(starts).toHaveLength(1);
    const again = ask("a");
    await clock.advance(200);
    await again;
    expect(starts).toHaveLength(2);
  });

  it("lets nothing begin during a pause, also of requests that wait for their time already", async () => {
    const { clock, queue, starts, ask } = setUp();
    const answers = Promise.all([ask("a"), ask("b")]);
    await clock.advance(10);
    const pause = queue.pause(5000);
    await clock.advance(6000);
    await Promise.all([answers, pause]);
    expect(starts).toEqual([
      ["a", 0],
      ["b", 5010],
    ]);
  });

  it("goes on after a request that failed", async () => {
    const { clock, queue, ask } = setUp({ concurrency: 1 });
    const failure = queue.ask("a", () => Promise.reject(new Error("gone"))).catch(String);
    const next = ask("b");
    await clock.advance(1000);
    expect(await failure).toBe("Error: gone");
    expect(await next).toBe("answer to b");
  });

  it("keeps the interval by the real clock", async () => {
    const queue = createRequestQueue<number>({ concurrency: 4, intervalMs: 30, clock: systemClock });
    // Before the first request: when it starts can be noticed late.
    const before = performance.now();
    const starts = await Promise.all(
      ["a", "b", "c"].map((key) => queue.ask(key, async () => performance.now())),
    );
    expect((starts.at(-1) ?? 0) - before).toBeGreaterThanOrEqual(60);
  });
});
