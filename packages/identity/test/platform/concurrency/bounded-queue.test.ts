import { describe, expect, it } from "vitest";

import { BusyError, createBoundedQueue } from "../../../src/platform/concurrency/bounded-queue.js";

const pause = async (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1);
  });

describe("a bounded queue", () => {
  it("does no more at a time than it may, everything in the end, and in the order it was asked for", async () => {
    const queue = createBoundedQueue({ concurrency: 3, maxWaiting: 1000 });
    const begun: number[] = [];
    let underWay = 0;
    let most = 0;
    const work = async (index: number): Promise<number> => {
      begun.push(index);
      most = Math.max(most, ++underWay);
      await pause();
      underWay--;
      return index * 2;
    };
    const indices = Array.from({ length: 30 }, (_, index) => index);
    const results = await Promise.all(indices.map((index) => queue.run(async () => work(index))));
    expect(results).toEqual(indices.map((index) => index * 2));
    expect(begun).toEqual(indices);
    expect(most).toBe(3);
  });

  it("turns away at once what would wait behind too many, and takes more when these are done", async () => {
    const queue = createBoundedQueue({ concurrency: 1, maxWaiting: 2 });
    const taken = [1, 2, 3].map(async () => queue.run(pause));
    await expect(queue.run(pause)).rejects.toThrow(new BusyError(2));
    await Promise.all(taken);
    await expect(queue.run(async () => Promise.resolve("done"))).resolves.toBe("done");
  });

  it("goes on after work that failed", async () => {
    const queue = createBoundedQueue({ concurrency: 1, maxWaiting: 10 });
    const failing = queue.run(async () => Promise.reject(new Error("no")));
    const next = queue.run(async () => Promise.resolve("yes"));
    await expect(failing).rejects.toThrow("no");
    await expect(next).resolves.toBe("yes");
  });
});
