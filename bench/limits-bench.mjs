/**
 * Requests per second about limits, with 10,000 registered limits, of one process that is asked by another; every token is good,
 * so that what a token costs isn't in it. Beside a real Keystone with two processes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const built = (path) => import(new URL(`../packages/identity/dist/${path}.js`, import.meta.url).href);
const { addEffectiveLimitRoutes } = await built("limits/effective-limit-routes");
const { createLimitServices } = await built("limits/limit-services");
const { addLimitRoutes } = await built("limits/limit-routes");
const { addRegisteredLimitRoutes } = await built("limits/registered-limit-routes");
const { migrations } = await built("migrations/migrations");
const { migrate } = await built("platform/database/migrate");
const { openDatabase } = await built("platform/database/open-database");
const { createHttpServer } = await built("platform/http/http-server");
const { createLinks } = await built("platform/http/links");
const { newId, newRequestId } = await built("platform/ids");
const { createLog } = await built("platform/log");
const { guardRoutes } = await built("policy/guard");

const REGISTERED = 10_000;
const SERVICES = 100;
const DOMAINS = 10;
const CHUNK = 500;
const CONNECTIONS = 8;
const SECONDS = 3;
const ROUNDS = 3;
const ADMIN = { userId: "bench", roles: ["admin", "reader"], scope: { kind: "system" } };

export async function bench({ row }) {
  for (const projects of [1000, 100_000]) {
    const folder = mkdtempSync(join(tmpdir(), "hamkit-limits-bench-"));
    const database = openDatabase(`sqlite:${join(folder, "identity.db")}`);
    try {
      await migrate(database, migrations);
      const ids = await fill(database, projects);
      const server = await serve(database);
      await measure(server.listeningOrigin, { ids, projects, row });
      await server.close();
    } finally {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function measure(origin, { ids, projects, row }) {
  const measureOne = async (work, paths, limits) => {
    const { requests, latency } = await best(origin, paths);
    row({ work: `${projects} projects: ${work}`, hamkit: requests.average, ...limits });
    row({ work: "  99 of 100 answered within", hamkit: latency.p99, unit: "ms" });
  };
  const some = ids.registered.filter((_, index) => index % 10 === 0);
  const pages = some.map((id) => `/v3/registered_limits?limit=100&marker=${id}`);
  await measureOne("100 registered limits", ["/v3/registered_limits?limit=100"], { limit: 4000, peer: 146 });
  await measureOne("100 registered limits, of 1000 pages", pages, {});
  await measureOne(
    "one registered limit",
    ids.registered.map((id) => `/v3/registered_limits/${id}`),
    { limit: 6000 },
  );
  await measureOne("100 limits that hold, one project", [effective(ids.projects[0])], { limit: 3000 });
  const scattered = ids.projects.filter((_, index) => index % Math.ceil(projects / 10_000) === 0);
  await measureOne("100 limits that hold, all projects in turn", scattered.map(effective), {});
  const service = (id) => `/v3/limits?project_id=${id}&service_id=${ids.services[0]}`;
  await measureOne("the limits of a project, all in turn", scattered.map(service), {});
}

function effective(id) {
  return `/v3/limits/effective?project_id=${id}&limit=100`;
}

/** The routes of limits, to which every token is that of an administrator. */
async function serve(database) {
  const links = createLinks("http://127.0.0.1:5000");
  const server = createHttpServer({
    links,
    log: createLog("warn"),
    newRequestId,
    bodyLimit: 114_688,
    isTrustedProxy: () => false,
  });
  guardRoutes(server, { authenticate: async () => ADMIN });
  const projects = { listProjectsById: (ids) => listProjectsById(database, ids) };
  const catalog = { getService: async () => ({}), getRegion: async () => ({}) };
  const services = createLimitServices({
    database,
    newId,
    catalog,
    projects,
    enforcementModel: "strict_two_level",
  });
  const deps = { ...services, links };
  addRegisteredLimitRoutes(server, deps);
  addLimitRoutes(server, deps);
  addEffectiveLimitRoutes(server, deps);
  await server.listen({ host: "127.0.0.1", port: 0 });
  return server;
}

function listProjectsById(database, ids) {
  return database
    .tables()
    .selectFrom("project")
    .select(["id", "name", "domain_id as domainId", "is_domain as isDomain"])
    .where("id", "in", ids)
    .execute();
}

function made(length) {
  return Array.from({ length }, newId);
}

/** Every project has a limit of its own, every domain some. */
async function fill(database, count) {
  const ids = {
    services: made(SERVICES),
    registered: made(REGISTERED),
    domains: made(DOMAINS),
    projects: made(count),
  };
  const nothing = { extra: "{}", enabled: true };
  await insert(
    database,
    "service",
    ids.services.map((id) => ({ id, type: "bench", name: id, ...nothing })),
  );
  const registered = ids.registered.map((id, index) => ({
    id,
    service_id: ids.services[index % SERVICES],
    resource_name: `resource-${index}`,
    default_limit: 100,
  }));
  await insert(database, "registered_limit", registered);
  const project = (id, domain_id) => ({
    ...nothing,
    id,
    name: id,
    domain_id,
    parent_id: domain_id,
    is_domain: domain_id === null,
    options: "{}",
  });
  const domainOf = (index) => ids.domains[index % DOMAINS];
  await insert(
    database,
    "project",
    ids.domains.map((id) => project(id, null)),
  );
  await insert(
    database,
    "project",
    ids.projects.map((id, index) => project(id, domainOf(index))),
  );
  const limit = (project_id, domain_id, index) => ({
    id: newId(),
    registered_limit_id: ids.registered[index % REGISTERED],
    domain_id,
    project_id,
    resource_limit: 50,
  });
  await insert(database, "limit", [
    ...ids.projects.map((id, index) => limit(id, domainOf(index), index % 100)),
    ...ids.domains.flatMap((id) => Array.from({ length: 50 }, (_, index) => limit(null, id, index * 2))),
  ]);
  return ids;
}

async function insert(database, table, rows) {
  await database.transaction(async (transaction) => {
    for (let from = 0; from < rows.length; from += CHUNK)
      await transaction
        .tables()
        .insertInto(table)
        .values(rows.slice(from, from + CHUNK))
        .execute();
  });
}

/** The best of several rounds. */
async function best(origin, paths) {
  let fastest;
  for (let round = 0; round < ROUNDS; round++) {
    const result = await load(origin, paths);
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${paths[0]}: ${result.non2xx + result.errors} requests failed`);
    if (fastest === undefined || result.requests.average > fastest.requests.average) fastest = result;
  }
  return fastest;
}

/** Asks from a process of its own, one path after the other. */
async function load(origin, paths) {
  const program = `
    import autocannon from ${JSON.stringify(import.meta.resolve("autocannon"))};
    let text = "";
    for await (const chunk of process.stdin) text += chunk;
    console.log(JSON.stringify(await autocannon(JSON.parse(text))));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const headers = { "x-auth-token": "any" };
  const requests = paths.map((path) => ({ method: "GET", path, headers }));
  child.stdin.end(JSON.stringify({ url: origin, connections: CONNECTIONS, duration: SECONDS, requests }));
  let answer = "";
  child.stdout.on("data", (data) => (answer += data));
  await once(child, "close");
  return JSON.parse(answer);
}
