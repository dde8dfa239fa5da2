/** The stored events: positions without gaps, receivers that miss none, bounds whose losses are counted, one sender at a time. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  backlogAfter,
  deletedAfter,
  deleteOldEvents,
  serviceEventsAfter,
  holdSending,
  insertServiceEvents,
  numberEvents,
  openReceiver,
  setReceiver,
} from "../../src/events/event-store.js";
import { startEventSender } from "../../src/events/event-sender.js";
import type { EventReceiver } from "../../src/events/receivers/receiver.js";
import type { Database } from "../../src/platform/database/database.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId } from "../../src/platform/ids.js";
import { databases } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";

let place: Awaited<ReturnType<typeof migratedDatabase>>;
let database: Database;
beforeEach(async () => {
  place = await migratedDatabase(databases);
  database = openDatabase(place.url);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

const inTransaction: Database["transaction"] = (work) => database.transaction(work, { changes: [] });
const eventOf = (name: string, at = 1000) => ({
  id: `${name}-${newId()}`,
  at,
  type: "identity.region.created",
  record: { event: { resource: "region", operation: "created", id: name } as const },
});
const store = (...names: string[]) =>
  inTransaction((transaction) =>
    insertServiceEvents(
      transaction,
      names.map((name) => eventOf(name)),
      database.kind,
    ),
  );
const number = () => inTransaction((transaction) => numberEvents(transaction, database.kind));
const namesAfter = async (position: number) =>
  (await serviceEventsAfter(database, position, 100)).map(
    ({ event, position: own }) => `${own}:${"resource" in event ? event.id : ""}`,
  );

describe(`stored events on ${databases.name}`, () => {
  it("get positions in the order of their commits", async () => {
    await store("a", "b");
    await store("c");
    await number();
    await store("d");
    await number();
    expect(await namesAfter(0)).toEqual(["1:a", "2:b", "3:c", "4:d"]);
    expect(await namesAfter(3)).toEqual(["4:d"]);
  });

  it("go on after positions that are deleted, and count what a receiver has missed", async () => {
    const receiver = await inTransaction((transaction) => openReceiver(transaction, "file"));
    expect(receiver).toEqual({ position: 0, dropped: 0 });
    await store(...Array.from({ length: 1200 }, (_, index) => `e${index}`));
    while (await number());
    while (await inTransaction((transaction) => deleteOldEvents(transaction, { before: 0, maxRows: 10 })));
    expect((await serviceEventsAfter(database, 0, 1))[0]?.position).toBe(1191);
    expect(await backlogAfter(database, 1195)).toEqual({ count: 5, oldestAt: 1000 });
    while (await inTransaction((transaction) => deleteOldEvents(transaction, { before: 2000, maxRows: 10 })));
    expect(await serviceEventsAfter(database, 0, 1)).toEqual([]);
    expect(await deletedAfter(database, 0)).toBe(1200);
    expect(await deletedAfter(database, 1200)).toBe(0);
    await store("next");
    await number();
    expect(await namesAfter(receiver.position)).toEqual(["1201:next"]);
    expect(await deletedAfter(database, 0)).toBe(1200);
    expect(await deletedAfter(database, 1201)).toBe(0);
  });

  it("do not go back for a receiver, whose former process comes to itself after a takeover", async () => {
    await inTransaction((transaction) => openReceiver(transaction, "file"));
    for (const state of [
      { position: 8, dropped: 2 },
      { position: 5, dropped: 0 },
    ])
      await inTransaction((transaction) => setReceiver(transaction, "file", state));
    expect(await inTransaction((transaction) => openReceiver(transaction, "file"))).toEqual({
      position: 8,
      dropped: 2,
    });
  });

  it("are sent by one process at a time; another one takes over when it is silent", async () => {
    const hold = (holder: string, now: number) =>
      inTransaction((transaction) => holdSending(database, transaction, { holder, now, holdMs: 300 }));
    const now = Date.now();
    expect(await hold("one", now)).toBe(true);
    expect(await hold("two", now + 10)).toBe(false);
    expect(await hold("one", now + 20)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await hold("two", now + 420)).toBe(true);
    expect(await hold("one", now + 430)).toBe(false);
  });

  /** Three events for a receiver, some of which are deleted before it takes them. */
  const storeThree = async (deleted: { readonly before: number; readonly maxRows: number }) => {
    await inTransaction((transaction) => openReceiver(transaction, "file"));
    await store("a", "b", "c");
    await number();
    await inTransaction((transaction) => deleteOldEvents(transaction, deleted));
  };
  const linesOf = () => {
    const lines: string[] = [];
    const log = { info() {}, warn() {}, error: (_facts: object, text: string) => void lines.push(text) };
    return { lines, log: log as never };
  };
  const DELETED = "too old or too many events were deleted before file took them";
  const startSender = (log: never, receiver: Partial<EventReceiver> = {}, on: Database = database) =>
    startEventSender({
      database: on,
      clock: Date,
      newId,
      receivers: [{ name: "file", send: async () => {}, close: async () => {}, ...receiver }],
      log,
    });

  it("that were all deleted are counted at once, also where none follows", async () => {
    await storeThree({ before: 2000, maxRows: 9 });
    const { lines, log } = linesOf();
    const sender = startSender(log);
    await expect
      .poll(() => sender.report(), { timeout: 5000 })
      .toMatchObject([{ sent: 0, dropped: 3, backlog: { count: 0 } }]);
    expect(lines).toEqual([DELETED]);
    await sender.stop();
  });

  it("that were deleted are counted once where the process that sends ends while it counts them", async () => {
    await storeThree({ before: 0, maxRows: 1 });
    const { lines, log } = linesOf();
    const ending = openDatabase(place.url);
    const transaction: Database["transaction"] = (work, options) =>
      lines.length === 0 ? ending.transaction(work, options) : Promise.reject(new Error("killed"));
    const killed = startSender(log, {}, { ...ending, transaction });
    await expect.poll(() => lines.length, { timeout: 5000 }).toBeGreaterThan(0);
    await ending.close();
    await killed.stop().catch(() => {});
    const sent: string[] = [];
    const next = startSender(log, {
      send: async (events: readonly { readonly id: string }[]) =>
        void sent.push(...events.map(({ id }) => id)),
    });
    await expect.poll(() => sent, { timeout: 10_000 }).toHaveLength(1);
    expect(await next.report()).toMatchObject([{ sent: 1, dropped: 2, backlog: { count: 0 } }]);
    expect(lines.filter((line) => line === DELETED)).toHaveLength(2);
    await next.stop();
  });

  it.each([
    ["refuses", "send"],
    ["can't be reached for", "open"],
  ])(
    "that a receiver %s are sent again, with the same ids, and what is deleted meanwhile is said at once",
    async (_, broken) => {
      const { lines, log } = linesOf();
      const sent: string[][] = [];
      let isBroken = true;
      const refuse = (step: string) => {
        if (isBroken && step === broken) throw new Error("refused");
      };
      const receiver = {
        open: async () => refuse("open"),
        send: async (events: readonly { readonly id: string }[]) => {
          refuse("send");
          sent.push(events.map(({ id }) => id));
        },
      };
      await storeThree({ before: 0, maxRows: 2 });
      const sender = startSender(log, receiver);
      await expect
        .poll(() => sender.report(), { timeout: 5000 })
        .toMatchObject([{ failures: 1, sent: 0, dropped: 1, backlog: { count: 2 } }]);
      isBroken = false;
      await expect.poll(() => sent.flat(), { timeout: 5000 }).toHaveLength(2);
      expect((await sender.report())[0]).toMatchObject({ sent: 2, dropped: 1, backlog: { count: 0 } });
      expect(lines).toEqual([DELETED]);
      await sender.stop();
    },
  );
});
