/** Requests per second of the identity service, one process, asked by another; beside a real Keystone with two. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import pg from "pg";

const MAIN = fileURLToPath(new URL("../packages/identity/dist/hamkit-identity.js", import.meta.url));
const AUTOCANNON = fileURLToPath(import.meta.resolve("autocannon"));
const POSTGRES = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test";
const PASSWORD = "bench-password";
const JSON_TYPE = { "content-type": "application/json" };
const CONNECTIONS = 8;
const SECONDS = 3;
const ROUNDS = 3;
const ROLES = 100;
const REGISTERED_LIMITS = 10_000;
/** As many as fit into one request. */
const LIMITS_AT_ONCE = 500;

export async function bench({ row }) {
  await benchOn("SQLite", sqlite, row);
  if (await answers(POSTGRES)) await benchOn("PostgreSQL", postgres, row);
  else row({ work: "PostgreSQL does not answer: not measured", hamkit: 0 });
}

async function benchOn(name, createDatabase, row) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-bench-"));
  const database = await createDatabase(folder);
  const service = await serve(folder, database.url);
  try {
    await measure(name, service, row);
  } finally {
    service.child.kill("SIGTERM");
    await once(service.child, "exit");
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name, { url, child, startMs }, row) {
  const measureOne = async (work, path, limits, options) => {
    const { requests, latency } = await best(`${url}${path}`, options);
    row({ work: `${name}: ${work}`, hamkit: requests.average, ...limits });
    return latency;
  };
  row({ work: `${name}: start, first start`, hamkit: startMs, unit: "ms", limit: 1000 });
  await measureOne("GET /v3", "/v3", { peer: 3400 });

  const unscoped = await login(url, passwordBody());
  const system = await login(url, passwordBody({ system: { all: true } }));
  const project = await login(url, passwordBody({ project: { name: "admin", domain: { id: "default" } } }));
  const headers = { "x-auth-token": system };
  const roles = [];
  for (let number = 0; number < ROLES; number++) {
    const { role } = await post(url, "/v3/roles", headers, { role: { name: `bench-${number}` } });
    roles.push(role.id);
  }

  const validate = { headers: { ...headers, "x-subject-token": project } };
  const quiet = await measureOne("validate a token", "/v3/auth/tokens", { peer: 471, limit: 5000 }, validate);
  row({ work: "  99 of 100 answered within", hamkit: quiet.p99, unit: "ms", peer: 12 });
  await measureOne(
    "login by token",
    "/v3/auth/tokens",
    { peer: 419, limit: 2000 },
    {
      method: "POST",
      body: {
        auth: {
          identity: { methods: ["token"], token: { id: unscoped } },
          scope: { project: { name: "admin", domain: { id: "default" } } },
        },
      },
    },
  );
  await measureOne("GET one of 100 roles", `/v3/roles/${roles[50]}`, { limit: 6000 }, { headers });
  await measureOne("GET 100 roles", "/v3/roles?limit=100", {}, { headers });

  const logins = load(`${url}/v3/auth/tokens`, { method: "POST", body: passwordBody(), connections: 8 });
  const beside = await load(`${url}/v3/auth/tokens`, validate);
  const { requests } = await logins;
  row({ work: `${name}: login by password, 8 at a time`, hamkit: requests.average, peer: 7.3 });
  row({
    work: "  meanwhile 99 of 100 tokens validated within",
    hamkit: beside.latency.p99,
    unit: "ms",
    limit: 50,
  });
  row({ work: "  memory afterwards", hamkit: memoryOf(child.pid), unit: "MB", limit: 130 });
  await measureLimits(url, { headers, measureOne });
}

/** Each request has its token checked too. */
async function measureLimits(url, { headers, measureOne }) {
  const { service } = await post(url, "/v3/services", headers, { service: { type: "bench" } });
  const ids = [];
  for (let from = 0; from < REGISTERED_LIMITS; from += LIMITS_AT_ONCE) {
    const drafts = Array.from({ length: LIMITS_AT_ONCE }, (_, index) => ({
      service_id: service.id,
      resource_name: `resource-${from + index}`,
      default_limit: 10,
    }));
    const made = await post(url, "/v3/registered_limits", headers, { registered_limits: drafts });
    ids.push(...made.registered_limits.map(({ id }) => id));
  }
  const body = { project: { name: "bench", domain_id: "default" } };
  const { project } = await post(url, "/v3/projects", headers, body);
  const path = "/v3/registered_limits";
  await measureOne("GET 100 registered limits", `${path}?limit=100`, { limit: 4000, peer: 146 }, { headers });
  await measureOne("GET one of 10,000 of them", `${path}/${ids[50]}`, { limit: 6000 }, { headers });
  const effective = `/v3/limits/effective?project_id=${project.id}&limit=100`;
  await measureOne("100 limits that hold", effective, { limit: 3000 }, { headers });
}

function passwordBody(scope) {
  const user = { name: "admin", domain: { id: "default" }, password: PASSWORD };
  return { auth: { identity: { methods: ["password"], password: { user } }, ...(scope && { scope }) } };
}

async function login(url, body) {
  const answer = await fetch(`${url}/v3/auth/tokens`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  return answer.headers.get("x-subject-token");
}

async function post(url, path, headers, body) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { ...headers, ...JSON_TYPE },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** A service of its own, when it answers. */
async function serve(folder, databaseUrl) {
  const port = await freePort();
  const env = {
    HOME: folder,
    IDENTITY_PORT: String(port),
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_ADMIN_PASSWORD: PASSWORD,
    IDENTITY_RATE_LIMIT: "off",
  };
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve"], { env, stdio: ["ignore", "ignore", "ignore"] });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    try {
      await fetch(`${url}/readyz`);
      return { url, child, startMs: performance.now() - start };
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
async function postgres() {
  const schema = `bench_${randomUUID().replaceAll("-", "")}`;
  await onPostgres(`create schema ${schema}`);
  const url = new URL(POSTGRES);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return {
    url: url.href.replaceAll("+", "%20"),
    remove: () => onPostgres(`drop schema ${schema} cascade`),
  };
}

async function onPostgres(statement) {
  const client = new pg.Client({ connectionString: POSTGRES });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function answers() {
  try {
    await onPostgres("select 1");
    return true;
  } catch {
    return false;
  }
}

/** Megabytes that a process has in memory. */
function memoryOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

/** The best of several rounds. */
async function best(url, options) {
  let fastest;
  for (let round = 0; round < ROUNDS; round++) {
    const result = await load(url, options);
    if (fastest === undefined || result.requests.average > fastest.requests.average) fastest = result;
  }
  return fastest;
}

async function load(url, { method = "GET", headers = {}, body, connections = CONNECTIONS } = {}) {
  const given = [
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]),
    ...(body === undefined ? [] : ["-H", "content-type=application/json", "-b", JSON.stringify(body)]),
  ];
  const args = [AUTOCANNON, "--json", "--no-progress", "-c", connections, "-d", SECONDS, "-m", method]
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

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
