import { afterEach, beforeEach, expect, it } from "vitest";

import { putReplica, type Replica } from "../../src/console/overview/replica-store.js";
import { examineProcesses } from "../../src/doctor/process-checks.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import type { Database } from "../../src/platform/database/database.js";
import { databases } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";

const NOW = Date.parse("2026-11-28T12:00:00Z");

let database: Database;
let remove: () => Promise<void>;
beforeEach(async () => {
  const place = await migratedDatabase(databases);
  database = openDatabase(place.url);
  remove = async () => {
    await database.close();
    await place.remove();
  };
});
afterEach(() => remove());

const examine = (...replicas: Partial<Replica>[]) =>
  database
    .transaction(async (transaction) => {
      for (const [at, replica] of replicas.entries())
        await putReplica(
          transaction,
          {
            id: `p${at}`,
            host: "one",
            worker: 0,
            version: "0.3.0",
            startedAt: NOW,
            seenAt: NOW - 10_000 - at * 1000,
            impairments: [],
            masterKeys: [],
            ...replica,
          },
          0,
        );
    })
    .then(() => examineProcesses(database, { now: () => NOW }));

it("finds nothing before the first process", async () => {
  expect(await examine()).toEqual([]);
});

it("lists processes with release and last heartbeat, and warns of their impairments", async () => {
  expect(
    await examine({}, { host: "two", worker: 2, impairments: ["Caching is disabled.", "The disk is full."] }),
  ).toEqual([
    { state: "ok", subject: "processes", text: "one: 0.3.0, heartbeat 10 s ago" },
    { state: "warning", subject: "processes", text: "two, worker 2: Caching is disabled." },
    { state: "warning", subject: "processes", text: "two, worker 2: The disk is full." },
  ]);
});

it("warns of several releases, and of a process that ended without notice, whose release does not count", async () => {
  expect(
    await examine(
      {},
      { host: "two", version: "0.10.0" },
      { host: "gone", version: "0.1.0", seenAt: NOW - 91_000 },
    ),
  ).toEqual([
    { state: "warning", subject: "processes", text: "they run several releases: 0.3.0, 0.10.0" },
    { state: "ok", subject: "processes", text: "one: 0.3.0, heartbeat 10 s ago" },
    { state: "ok", subject: "processes", text: "two: 0.10.0, heartbeat 11 s ago" },
    {
      state: "warning",
      subject: "processes",
      text: "gone: the last heartbeat was 91 s ago: it ended without notice",
    },
  ]);
});
