import { describe, expect, it } from "vitest";

import { createMutex, type MutexOptions } from "../../../../src/platform/database/sqlite/mutex.js";

function testMutex(options: Partial<MutexOptions> = {}) {
  return createMutex({ timeoutMs: 5000, onTimeout: () => new Error("waited for too long"), ...options });
}

/** Counts turns of the event loop until it is stopped. */
function countTurns() {
  const turns = { count: 0, stop: false };
  const turn = () => {
    turns.count++;
    if (!turns.stop) setImmediate(turn);
  };
  setImmediate(turn);
  return turns;
}

describe("a mutex", () => {
  it("is handed on in the order of those who wait", async () => {
    const mutex = testMutex();
    const order: number[] = [];
    const use = async (id: number) => {
      await mutex.lock();
      order.push(id);
      mutex.unlock();
    };
    await Promise.all([1, 2, 3].map(use));
    expect(order).toEqual([1, 2, 3]);
  });

  it("yields to the event loop between holders that never wait", async () => {
    const mutex = testMutex({ maxTurnMs: 0 });
    const turns = countTurns();
    const seen: number[] = [];
    const use = async () => {
      await mutex.lock();
      seen.push(turns.count);
      mutex.unlock();
    };
    await Promise.all(Array.from({ length: 20 }, use));
    turns.stop = true;
    // Without a bound all of them are in the first turn.
    expect(new Set(seen).size).toBeGreaterThanOrEqual(19);
  });

  it("yields to the event loop also when it is free at each request", async () => {
    const mutex = testMutex({ maxTurnMs: 0 });
    const turns = countTurns();
    for (let times = 0; times < 10; times++) {
      await mutex.lock();
      mutex.unlock();
    }
    turns.stop = true;
    expect(turns.count).toBeGreaterThanOrEqual(9);
  });

  it("yields to the event loop while one holder keeps working", async () => {
    const mutex = testMutex({ maxTurnMs: 0 });
    const turns = countTurns();
    await mutex.lock();
    for (let times = 0; times < 10; times++) await mutex.rest();
    mutex.unlock();
    turns.stop = true;
    expect(turns.count).toBeGreaterThanOrEqual(9);
  });

  it("is given up by who has waited for too long, and goes to the next one", async () => {
    const mutex = testMutex({ timeoutMs: 10 });
    await mutex.lock();
    await expect(mutex.lock()).rejects.toThrow("waited for too long");
    const patient = mutex.lock({ isPatient: true });
    mutex.unlock();
    await expect(patient).resolves.toBeUndefined();
  });
});
