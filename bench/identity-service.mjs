/** The identity service as benchmarks need it: a process of its own on a fresh database, and another one that asks. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import pg from "pg";

/** The program. */
export const MAIN = fileURLToPath(new URL("../packages/identity/dist/hamkit-identity.js", import.meta.url));
const AUTOCANNON = fileURLToPath(import.meta.resolve("autocannon"));
const POSTGRES = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test";
export const PASSWORD = "bench-password";
const JSON_TYPE = { "content-type": "application/json" };
const CONNECTIONS = 8;
const SECONDS = 3;
const ROUNDS = 3;

/** Measures on SQLite, then on PostgreSQL if it is there. @param settings Options of the service, beside those it needs. */
export async function onEachDatabase(settings, row, measure) {
  await on("SQLite", sqlite, { settings, row, measure });
  if (await postgresAnswers()) await on("PostgreSQL", databaseOnPostgres, { settings, row, measure });
  else row({ work: "PostgreSQL does not answer: not measured", hamkit: 0 });
}

async function on(name, createDatabase, { settings, row, measure }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-bench-"));
  const database = await createDatabase(folder);
  const { child, ...service } = await serve({ folder, databaseUrl: database.url, settings });
  try {
    await measure(name, { ...service, pid: child.pid }, row);
  } finally {
    await stop(child);
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function passwordBody(scope) {
  const user = { name: "admin", domain: { id: "default" }, password: PASSWORD };
  return { auth: { identity: { methods: ["password"], password: { user } }, ...(scope && { scope }) } };
}

export async function login(url, body) {
  const answer = await fetch(`${url}/v3/auth/tokens`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  return answer.headers.get("x-subject-token");
}

export async function post(url, path, headers, body) {
  const sent = { headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  return made(path, await fetch(`${url}${path}`, { method: "POST", ...sent }));
}

export async function put(url, path, headers, body) {
  const sent = { headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  return made(path, await fetch(`${url}${path}`, { method: "PUT", ...sent }));
}

async function made(path, answer) {
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Ends a process of {@link serve}. */
export async function stop(child) {
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Megabytes of a process, by a field of its status. @see proc_pid_status(5) */
export function megabytesIn(pid, field) {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(
    readFileSync(`/proc/${pid}/status`, "utf8"),
  );
  return Number(kilobytes) / 1024;
}

/** Of /proc/PID/stat; the same on all Linux machines. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process so far, in all of its threads. */
export function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A service of its own, when it answers. */
export async function serve({ folder, databaseUrl, settings }) {
  const port = await freePort();
  const env = {
    HOME: folder,
    // As in deploy/hamkit-identity.service.
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: "131072",
    IDENTITY_PORT: String(port),
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_ADMIN_PASSWORD: PASSWORD,
    IDENTITY_RATE_LIMIT: "off",
    ...settings,
  };
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve"], {
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${url}/readyz`), child);
  return { url, child, startMs: performance.now() - start };
}

/** Repeats a question until the service of a process answers. */
export async function until(ask, child) {
  for (;;) {
    try {
      return await ask();
    } catch {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  }
}

async function sqlite(folder) {
  return { url: `sqlite:${join(folder, "identity.db")}`, remove: async () => {} };
}

/** A schema of its own. */
export async function databaseOnPostgres() {
  const schema = `bench_${randomUUID().replaceAll("-", "")}`;
  await onPostgres(`create schema ${schema}`);
  const url = new URL(POSTGRES);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return {
    url: url.href.replaceAll("+", "%20"),
    remove: () => onPostgres(`drop schema ${schema} cascade`),
  };
}

export async function onPostgres(statement, url = POSTGRES) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

export async function postgresAnswers() {
  try {
    await onPostgres("select 1");
    return true;
  } catch {
    return false;
  }
}

const BARE = fileURLToPath(new URL("bare-server.mjs", import.meta.url));
/** Headers that each server adds to a response itself. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive", "content-length"]);

/** Rounds beside a bare server: short, as machines change their speed within seconds. */
const PAIRS = 13;
const PAIR_SECONDS = 1;

/**
 * The requests to a service and to a bare server that sends the same bytes, in turn.
 *
 * @returns The results of the two in the round with the median share.
 */
export async function besideBare(url, path, options) {
  const child = spawn(process.execPath, [BARE], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [address] = await once(child.stdout, "data");
    const bareUrl = String(address).trim();
    await sendSame(await sendOne(`${url}${path}`, options), bareUrl);
    const origins = [url, bareUrl];
    for (const origin of origins) await load(`${origin}${path}`, options);
    const pairs = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const results = [];
      for (const origin of origins)
        results.push(await load(`${origin}${path}`, { ...options, seconds: PAIR_SECONDS }));
      pairs.push(results);
    }
    const [ours, bare] = pairs.toSorted((one, other) => share(one) - share(other))[(PAIRS - 1) / 2];
    return { ours, bare };
  } finally {
    child.kill();
  }
}

const share = ([ours, bare]) => ours.requests.average / bare.requests.average;

function sendOne(url, { method = "GET", headers = {}, body } = {}) {
  const content = body && { body: JSON.stringify(body), headers: { ...headers, ...JSON_TYPE } };
  return fetch(url, { method, headers, ...content });
}

async function sendSame(answer, bareUrl) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)));
  await sendOne(`${bareUrl}/`, {
    method: "POST",
    body: { status: answer.status, headers, body: await answer.text() },
  });
}

function fastest(results) {
  return results.toSorted((one, other) => other.requests.average - one.requests.average)[0];
}

/** The best of several rounds. */
export async function best(url, options) {
  const results = [];
  for (let round = 0; round < ROUNDS; round++) results.push(await load(url, options));
  return fastest(results);
}

/** @param options.perSecond Requests in a second; as many as can be answered if left out. */
export async function load(url, options = {}) {
  const {
    method = "GET",
    headers = {},
    body,
    connections = CONNECTIONS,
    perSecond,
    seconds = SECONDS,
  } = options;
  const given = [
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]),
    ...(perSecond === undefined ? [] : ["-R", perSecond]),
    ...(body === undefined ? [] : ["-H", "content-type=application/json", "-b", JSON.stringify(body)]),
  ];
  const args = [AUTOCANNON, "--json", "--no-progress", "-c", connections, "-d", seconds, "-m", method]
    .concat(given, url)
    .map(String);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  await once(child, "close");
  const result = JSON.parse(text);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${method} ${url}: ${result.non2xx + result.errors} requests failed`);
  return result;
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
