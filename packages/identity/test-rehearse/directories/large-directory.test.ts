/** A directory of 10,000 users in pages, with the time and the memory it takes; 50 logins per second; and one that fails under load. */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { hostileNames } from "../../test/directories/hostile-names.js";
import { configOf, DOMAIN, person, UNITS } from "../../test-system/directories/directory-cloud.js";
import { startSlapd, type SlapdServer } from "../../test-system/directories/slapd-server.js";
import { adminClient, type AdminClient } from "../../test-system/reliability/admin-client.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../../test-system/service-process.js";

const USERS = 10_000;
const PAGE = 500;
const MAX_LIST_MS = 3000;
const MAX_LIST_BYTES = 30e6;
const LOGINS_PER_SECOND = 50;
const LOAD_SECONDS = 20;
/** How long a request that needs a directory may take, whatever the directory does. */
const MAX_UNAVAILABLE_MS = 5000;

let slapd: SlapdServer;
let database: TestDatabase;
let folder: string;
let service: ServiceProcess;
let admin: AdminClient;
beforeAll(async () => {
  const users = Array.from({ length: USERS }, (_, index) =>
    person(`user${index}`, `mail: u${index}@test.example`),
  );
  slapd = await startSlapd([UNITS, ...users].join("\n"));
  database = await sqliteDatabases.create();
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  service = await startService({
    databaseUrl: database.url,
    folder,
    env: { IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on", IDENTITY_RATE_LIMIT: "off" },
  });
  admin = await adminClient(service.url);
  await admin.ask("POST", "/v3/domains", { domain: { name: "corp", explicit_domain_id: DOMAIN } });
  await admin.ask("PUT", `/v3/domains/${DOMAIN}/config`, { config: configOf(slapd) });
});
afterAll(async () => {
  await service.kill();
  await slapd.remove();
  await database.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Bytes in physical memory, and the most there were since the peak was forgotten. */
function memory(): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${service.pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Milliseconds of processor time that the service has used (proc(5)), in ticks of 10 ms. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${service.pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function listAll(): Promise<{ readonly ids: string[]; readonly ms: number }> {
  const ids: string[] = [];
  const start = performance.now();
  for (let path = `/v3/users?domain_id=${DOMAIN}&limit=${PAGE}`; path !== "";) {
    const { status, body } = await admin.ask("GET", path);
    expect(status).toBe(200);
    ids.push(...body.users.map(({ id }: { id: string }) => id));
    path = body.links.next === null ? "" : body.links.next.replace(service.url, "");
  }
  return { ids, ms: performance.now() - start };
}

it("is listed in pages within a time and in little memory", async () => {
  // What the first requests of any kind load.
  await admin.ask("GET", "/v3/users?limit=1");
  await admin.ask("GET", `/v3/users?domain_id=${DOMAIN}&name=user1`);
  // 5 resets the peak (proc(5)).
  writeFileSync(`/proc/${service.pid}/clear_refs`, "5");
  const before = memory();
  const first = await listAll();
  const used = processorMs();
  const second = await listAll();
  const usedMs = processorMs() - used;
  const grown = memory().peak - before.now;
  report(
    `${USERS} users in pages of ${PAGE}: ${first.ms.toFixed(0)} ms, again ${second.ms.toFixed(0)} ms, ${usedMs} ms of a processor; ` +
      `${(grown / 1e6).toFixed(1)} MB of additional memory at most`,
  );
  expect(new Set(first.ids).size).toBe(USERS);
  expect(second.ids).toEqual(first.ids);
  expect(grown).toBeLessThan(MAX_LIST_BYTES);
  expect(second.ms).toBeLessThan(MAX_LIST_MS);
});

interface Attempt {
  readonly status: number;
  readonly ms: number;
}

async function logIn(user: object, password: string): Promise<Attempt> {
  const start = performance.now();
  const response = await fetch(`${service.url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: { identity: { methods: ["password"], password: { user: { ...user, password } } } },
    }),
  });
  await response.text();
  return { status: response.status, ms: performance.now() - start };
}

const enter = (index: number) =>
  logIn({ name: `user${index % USERS}`, domain: { id: DOMAIN } }, `pw-user${index % USERS}`);
const elsewhere = () => logIn({ name: "admin", domain: { id: "default" } }, ADMIN_PASSWORD);

/** Starts attempts at a rate, whatever the former ones do. */
async function load<Made extends Attempt>(
  attempt: (index: number) => Promise<Made>,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Made[]> {
  const all: Promise<Made>[] = [];
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    await delay(Math.max(0, start + (index * 1000) / perSecond - performance.now()));
    all.push(attempt(index));
  }
  return Promise.all(all);
}

function percentile(attempts: readonly Attempt[], part: number): number {
  const times = attempts.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
}

/** How many attempts had each status. */
function counts(attempts: readonly Attempt[]): Record<number, number> {
  const found: Record<number, number> = {};
  for (const { status } of attempts) found[status] = (found[status] ?? 0) + 1;
  return found;
}

it("logs in 50 users per second, each by a bind", async () => {
  const attempts = await load(enter, { perSecond: LOGINS_PER_SECOND, seconds: LOAD_SECONDS });
  report(
    `${LOGINS_PER_SECOND} logins per second: p50 ${percentile(attempts, 0.5).toFixed(0)} ms, p99 ${percentile(attempts, 0.99).toFixed(0)} ms`,
  );
  expect(counts(attempts)).toEqual({ 201: LOGINS_PER_SECOND * LOAD_SECONDS });
  expect(percentile(attempts, 0.99)).toBeLessThan(3000);
});

/** Times that the directory fails and works again; alternately, so that a busy machine is busy for both. */
const ROUNDS = 5;
const ROUND_SECONDS = 5;
/** How long after its recovery logins in the directory succeed again, and from then on. */
const MAX_RECOVERY_MS = 5000;
/** Of a p99 of few milliseconds, another program on the machine is a multiple. */
const MAX_RATIO = 2;
const NOISE_MS = 30;

/** What users of other domains do, while those of the directory log in. */
async function validate(token = admin.token, url = service.url): Promise<Attempt> {
  const start = performance.now();
  const headers = { "x-auth-token": token, "x-subject-token": token };
  const response = await fetch(`${url}/v3/auth/tokens`, { headers });
  await response.text();
  return { status: response.status, ms: performance.now() - start };
}

/** A service without a directory: what slows it is the machine. */
async function startControl() {
  const place = await sqliteDatabases.create();
  const own = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const control = await startService({
    databaseUrl: place.url,
    folder: own,
    env: { IDENTITY_RATE_LIMIT: "off" },
  });
  onTestFinished(async () => {
    await control.kill();
    await place.remove();
    await rm(own, { recursive: true, force: true });
  });
  const { token } = await adminClient(control.url);
  return () => validate(token, control.url);
}

/** The load of all domains, for a part of a round. */
async function loadAll(validateControl: () => Promise<Attempt>) {
  const from = performance.now();
  const timed = async (index: number) => ({
    ...(await enter(index)),
    endedMs: performance.now() - from,
  });
  const seconds = ROUND_SECONDS;
  const [entered, validated, control, elsewhereIn] = await Promise.all([
    load(timed, { perSecond: LOGINS_PER_SECOND, seconds }),
    load(() => validate(), { perSecond: 50, seconds }),
    load(validateControl, { perSecond: 50, seconds }),
    load(elsewhere, { perSecond: 2, seconds }),
  ]);
  return { entered, validated, control, elsewhereIn };
}

type Elsewhere = Pick<Awaited<ReturnType<typeof loadAll>>, "validated" | "control" | "elsewhereIn">;

const p99Of = ({ validated }: Elsewhere) => percentile(validated, 0.99);
const controlOf = ({ control }: Elsewhere) => percentile(control, 0.99);
const p50Of = ({ elsewhereIn }: Elsewhere) => percentile(elsewhereIn, 0.5);

/** Of the rounds: in a single one, another program may have had the processor. */
function median(rounds: readonly Elsewhere[], of: (round: Elsewhere) => number): number {
  return rounds.map(of).toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? 0;
}

it.each([
  ["hangs", () => slapd.hang(), () => slapd.goOn()],
  ["is stopped", () => slapd.stop(), () => slapd.start()],
] as const)(
  "that %s under load is unavailable within five seconds, slows no other domain, and works again by itself under the same load",
  async (_, fail, recover) => {
    const working: Elsewhere[] = [];
    const failing: Elsewhere[] = [];
    const recoveries: number[] = [];
    const refused: Attempt[] = [];
    const control = await startControl();
    await loadAll(control);
    for (let round = 0; round < ROUNDS; round++) {
      await fail();
      const during = await loadAll(control);
      failing.push(during);
      refused.push(...during.entered);
      await recover();
      const after = await loadAll(control);
      working.push(after);
      recoveries.push(...after.entered.filter(({ status }) => status !== 201).map(({ endedMs }) => endedMs));
    }
    const p99 = { working: median(working, p99Of), failing: median(failing, p99Of) };
    const other = { working: median(working, controlOf), failing: median(failing, controlOf) };
    const p50 = { working: median(working, p50Of), failing: median(failing, p50Of) };
    const recoveredMs = Math.max(0, ...recoveries);
    report(
      `validations elsewhere: p99 ${p99.working.toFixed(1)} ms with the directory, ${p99.failing.toFixed(1)} ms without (ratio ${(p99.failing / p99.working).toFixed(2)}); ` +
        `at a service without a directory ${other.working.toFixed(1)} and ${other.failing.toFixed(1)} ms; ` +
        `logins elsewhere: p50 ${p50.working.toFixed(0)} and ${p50.failing.toFixed(0)} ms; ` +
        `in the directory: refused after ${percentile(refused, 1).toFixed(0)} ms at most, last refused ${recoveredMs.toFixed(0)} ms after it works again`,
    );
    expect(counts(refused)).toEqual({ 503: refused.length });
    expect(percentile(refused, 1)).toBeLessThan(MAX_UNAVAILABLE_MS);
    const all = [...failing, ...working];
    expect(Object.keys(counts(all.flatMap(({ validated }) => validated)))).toEqual(["200"]);
    expect(Object.keys(counts(all.flatMap(({ elsewhereIn }) => elsewhereIn)))).toEqual(["201"]);
    // A machine that was busier during the failures slowed the other service, too.
    const slowed = Math.max(1, other.failing / other.working);
    for (const { working: before, failing: without } of [p99, p50])
      expect(without).toBeLessThan(MAX_RATIO * slowed * before + NOISE_MS);
    expect(recoveredMs).toBeLessThan(MAX_RECOVERY_MS);
  },
);

it("logs in no one by a hostile name, of any length", async () => {
  const names = hostileNames();
  expect(names.length).toBeGreaterThanOrEqual(200);
  const found: unknown[] = [];
  for (const name of names) {
    const { status } = await logIn({ name, domain: { id: DOMAIN } }, "pw-user1");
    if (![400, 401, 413].includes(status)) found.push([name.slice(0, 40), status]);
  }
  expect(found).toEqual([]);
  // Text that is not UTF-8, as the value of a name.
  const raw = Buffer.concat([
    Buffer.from('{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"user1'),
    Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
    Buffer.from(`","domain":{"id":"${DOMAIN}"},"password":"pw-user1"}}}}}`),
  ]);
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${service.url}/v3/auth/tokens`, { method: "POST", headers, body: raw });
  expect([400, 401]).toContain(response.status);
});
