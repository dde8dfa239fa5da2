import { describe, expect, it } from "vitest";

import { createQueue, type Queue } from "../../src/io/bounded-queue.js";

async function drain(queue: Queue<number>): Promise<number[]> {
  const values: number[] = [];
  for (let result = await queue.next(); result.done !== true; result = await queue.next())
    values.push(result.value);
  return values;
}

describe("createQueue", () => {
  it("hands values to readers that wait, and keeps others in order", async () => {
    const queue = createQueue<number>(10);
    const [first, second] = [queue.next(), queue.next()];
    for (const value of [1, 2, 3, 4]) queue.push(value);
    queue.end();
    expect([await first, await second]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
    ]);
    expect(await drain(queue)).toEqual([3, 4]);
    expect(queue.dropped).toBe(0);
  });

  it("drops the oldest beyond its length, and counts them", async () => {
    const queue = createQueue<number>(100);
    for (let value = 0; value < 10_000; value++) queue.push(value);
    queue.end();
    const values = await drain(queue);
    expect([values[0], values.at(-1), values.length]).toEqual([9900, 9999, 100]);
    expect(queue.dropped).toBe(9900);
  });

  it("ends with a failure once, after the values that wait", async () => {
    const queue = createQueue<number>(10);
    queue.push(1);
    queue.end(new Error("lost"));
    queue.push(2);
    queue.end(new Error("again"));
    expect(await queue.next()).toEqual({ done: false, value: 1 });
    await expect(queue.next()).rejects.toThrow("lost");
    expect(await queue.next()).toEqual({ done: true, value: undefined });
  });

  it("has room while less than half of its length waits, and at its end", async () => {
    const queue = createQueue<number>(4);
    await queue.room();
    queue.push(1);
    await queue.room();
    queue.push(2);
    let hasRoom = false;
    const waiting = queue.room().then(() => (hasRoom = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasRoom).toBe(false);
    await queue.next();
    await waiting;
    queue.push(3);
    queue.push(4);
    const second = queue.room();
    queue.end();
    await second;
  });
});
