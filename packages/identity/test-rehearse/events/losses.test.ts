/**
 * Two replicas that are changed 200 times a second, while they are killed in turn, and their broker is killed, stopped and cut off: RabbitMQ
 * gets an event of each change that was made, and of none that was not.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { postgresDatabases, type TestDatabase } from "../../test/databases.js";
import { startBlackHole, type BlackHole } from "../../test-system/black-hole.js";
import { startRabbit, type RabbitServer } from "../../test-system/events/rabbitmq-server.js";
import { takeMessages, type Notification } from "../../test-system/events/taken-messages.js";
import { adminClient, type AdminClient } from "../../test-system/reliability/admin-client.js";
import { startService, type ServiceOptions, type ServiceProcess } from "../../test-system/service-process.js";

const PER_SECOND = 200;
const SECONDS = 60;
/** Of the changes, each such one is refused after its row was inserted, or before. */
const REFUSED_EACH = 10;
/** Changes that wait at the same time: those of a killed replica have no answer. */
const MAX_WAITING = 64;

interface Change {
  readonly kind: "region" | "project";
  readonly status: number;
  readonly ms: number;
  /** Since the first one. */
  readonly at: number;
}

let rabbit: RabbitServer;
let hole: BlackHole;
let database: TestDatabase;
let folder: string;
const options: ServiceOptions[] = [];
const replicas: ServiceProcess[] = [];
let client: AdminClient;
const changes: Change[] = [];
let notifications: readonly Notification[];
let regions: ReadonlySet<string>;
let backlogMs: number;

beforeAll(async () => {
  rabbit = await startRabbit();
  const address = `${rabbit.url}/%2F`;
  hole = await startBlackHole(address);
  database = await postgresDatabases.create();
  folder = await mkdtemp(join(tmpdir(), "hamkit-events-"));
  for (let replica = 0; replica < 2; replica++) {
    const env = {
      IDENTITY_EVENTS_RABBITMQ_URL: hole.through(address),
      IDENTITY_EVENTS_DURABLE_QUEUES: "on",
    };
    options.push({ databaseUrl: database.url, folder, env });
    replicas.push(await startService(options[replica] as ServiceOptions));
  }
  client = await adminClient((replicas[0] as ServiceProcess).url);
  const taken = takeMessages(rabbit.url, "notifications.info");
  await change("project", "twice", 0);
  await Promise.all([makeChanges(), breakThings()]);
  const endedAt = performance.now();
  regions = await madeRegions();
  const isComplete = () => new Set(taken.notifications().map(({ message_id: id }) => id)).size > regions.size;
  // What is still missing then, the tests show.
  for (const deadline = endedAt + 120_000; !isComplete() && performance.now() < deadline;) await delay(250);
  backlogMs = performance.now() - endedAt;
  // Those that should not be there would come last.
  await delay(3000);
  notifications = taken.notifications();
  await taken.end();
}, 400_000);
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  hole.remove();
  await database.remove();
  await rabbit.remove();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function change(kind: Change["kind"], name: string, at: number): Promise<void> {
  const replica = replicas[Math.floor(Math.random() * 2)] as ServiceProcess;
  const startedAt = performance.now();
  const body = kind === "region" ? { id: name } : { name, domain_id: "default" };
  const { status } = await askAt(replica.url, `/v3/${kind}s`, { [kind]: body });
  changes.push({ kind, status, ms: performance.now() - startedAt, at });
}

async function askAt(url: string, path: string, body: object): Promise<{ readonly status: number }> {
  try {
    const headers = { "x-auth-token": client.token, "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer;
  } catch {
    return { status: 0 };
  }
}

async function makeChanges(): Promise<void> {
  const waiting = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let number = 0; number < PER_SECOND * SECONDS; number++) {
    const at = number / PER_SECOND;
    await delay(startedAt + at * 1000 - performance.now());
    while (waiting.size >= MAX_WAITING) await Promise.race(waiting);
    const isRefused = number % REFUSED_EACH === REFUSED_EACH - 1;
    const making = isRefused ? change("project", "twice", at) : change("region", `region-${number}`, at);
    waiting.add(making);
    void making.finally(() => waiting.delete(making));
  }
  await Promise.all(waiting);
}

async function breakThings(): Promise<void> {
  const restart = async (replica: 0 | 1) => {
    const { port } = replicas[replica] as ServiceProcess;
    await replicas[replica]?.kill();
    replicas[replica] = await startService({ ...(options[replica] as ServiceOptions), port });
  };
  await delay(5000);
  await restart(0);
  await delay(4000);
  await rabbit.kill();
  await restart(1);
  await rabbit.start();
  await delay(4000);
  hole.open();
  await delay(6000);
  await restart(0);
  hole.close();
  await delay(6000);
  await rabbit.control("stop_app");
  await restart(1);
  await rabbit.control("start_app");
}

/** Acknowledged or not. */
async function madeRegions(): Promise<ReadonlySet<string>> {
  const { body } = await client.ask("GET", "/v3/regions");
  const ids = (body.regions as { id: string }[]).map(({ id }) => id);
  return new Set(ids.filter((id) => id.startsWith("region-")));
}

it("loses no event of a change, and has none of another", async () => {
  const acknowledged = changes.filter(({ kind, status }) => kind === "region" && status === 201);
  expect(acknowledged.length).toBeGreaterThan((PER_SECOND * SECONDS) / 2);
  expect(regions.size).toBeGreaterThanOrEqual(acknowledged.length);
  const told = (type: string) => new Set(ofType(type).map(({ payload }) => payload.resource_info));
  expect(told("identity.region.created")).toEqual(regions);
  expect(told("identity.project.created").size).toBe(1);
});

it("sends an event twice with the same id alone", () => {
  const byId = new Map(ofType("identity.region.created").map((each) => [each.message_id, each]));
  const named = new Set([...byId.values()].map(({ payload }) => payload.resource_info));
  expect(named.size).toBe(byId.size);
});

it("answers as fast while the broker is away", () => {
  const refused = changes.filter(({ kind, status }) => kind === "project" && status === 409);
  expect(refused.length).toBeGreaterThan(100);
  const unexpected = changes.filter(({ status }) => ![0, 201, 409, 503].includes(status));
  expect(unexpected).toEqual([]);
  const times = changes
    .filter(({ status }) => status === 201)
    .map(({ ms }) => ms)
    .toSorted((one, other) => one - other);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Infinity;
  const lost = changes.filter(({ status }) => status === 0).length;
  const repeated = notifications.length - new Set(notifications.map((each) => each.message_id)).size;
  process.stdout.write(
    `events: ${times.length} changes, ${lost} without an answer, ${repeated} events twice; p99 ${p99.toFixed(0)} ms; the last event ${backlogMs.toFixed(0)} ms after the last change
`,
  );
  expect(p99).toBeLessThan(5000);
});

function ofType(type: string): readonly Notification[] {
  return notifications.filter((each) => each.event_type === type);
}
