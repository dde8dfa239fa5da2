import { expect, it } from "vitest";

import { purgeAll } from "../../src/platform/purge-schedule.js";

const silent = { info: () => {}, error: () => {} };

it("purges until nothing is left, one kind after the other", async () => {
  const left = { events: 3, sessions: 1 };
  const order: string[] = [];
  const task = (name: keyof typeof left) => ({
    name,
    purge: async () => {
      order.push(name);
      return --left[name] > 0;
    },
  });
  await purgeAll([task("events"), task("sessions")], { log: silent });
  expect(order).toEqual(["events", "events", "events", "sessions"]);
});

it("goes on with the next kind after a failure, which is logged", async () => {
  const logged: string[] = [];
  let purged = 0;
  await purgeAll(
    [
      { name: "events", purge: () => Promise.reject(new Error("disk full")) },
      { name: "sessions", purge: async () => ++purged < 2 },
    ],
    { log: { info: () => {}, error: (_: unknown, message?: string) => logged.push(message ?? "") } },
  );
  expect(purged).toBe(2);
  expect(logged).toEqual(["not purged: disk full"]);
});

it("stops between two batches", async () => {
  let purged = 0;
  const isStopped = () => purged === 2;
  await purgeAll([{ name: "events", purge: async () => ++purged > 0 }], { log: silent, isStopped });
  expect(purged).toBe(2);
});
