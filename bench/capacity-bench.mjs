/**
 * Figures of docs/identity/capacity.md: CPU time of the service per request, and bytes per row of the tables that grow, with their indexes,
 * at 100,000 users (CAPACITY_USERS sets another number), by the statements of that page. Only `npm run bench -- capacity` runs it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startOpenIdProvider } from "./federation-openid.mjs";
import {
  databaseOnPostgres,
  login,
  passwordBody,
  postgresAnswers,
  post,
  serve,
  stop,
} from "./identity-service.mjs";
import { createSeeds } from "./scale-bench.mjs";
import { fillCloud, openDatabase, sizesOf } from "./scale/cloud.mjs";

export const isLong = true;

const USERS = Number(process.env.CAPACITY_USERS ?? 100_000);
const PAGE = readFileSync(new URL("../docs/identity/capacity.md", import.meta.url), "utf8");
/** The rows that {@link fillCloud} makes. */
const { users, assignments, revocations, projects, limits } = sizesOf(USERS);
const ROWS = {
  user: users,
  user_password: users,
  group_member: users,
  assignment: assignments,
  revocation_event: revocations,
  project: projects,
  limit: limits,
  federated_user: users,
  application_credential: users,
};

/** Requests at a time. */
const CLIENTS = 4;
/** Compilation is not measured. */
const WARM_UP = 500;
/** Of proc_pid_stat(5): Linux counts 100 a second. */
const TICK_MS = 10;

export async function bench({ row }) {
  const openId = await startOpenIdProvider();
  try {
    await measure("SQLite", { createDatabase: sqlite, openId, row });
    if (await postgresAnswers())
      await measure("PostgreSQL", { createDatabase: databaseOnPostgres, openId, row });
    else row({ work: "PostgreSQL does not answer: not measured", hamkit: 0 });
  } finally {
    openId.close();
  }
}

async function measure(name, { createDatabase, openId, row }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-capacity-bench-"));
  const database = await createDatabase(folder);
  try {
    const settings = { IDENTITY_ALLOW_HTTP_ISSUERS: "on" };
    const { url, child } = await serve({ folder, databaseUrl: database.url, settings });
    const seeds = await createSeeds(url, openId.issuer);
    await measureRequests(name, { url, pid: child.pid, openId, seeds, row });
    await stop(child);
    await fillCloud(database.url, USERS, seeds);
    const sizes = await tableSizes(name, database.url, seeds);
    for (const [table, rows] of Object.entries(ROWS)) {
      const { bytes } = sizes.find((size) => size.name === table);
      row({ work: `${name}: bytes per row of ${table}`, hamkit: Number(bytes) / rows, unit: "B" });
    }
  } finally {
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU time depends less than the rate on what else the machine does. */
async function measureRequests(name, { url, pid, openId, seeds, row }) {
  const system = await login(url, passwordBody({ system: { all: true } }));
  const project = { project: { name: "admin", domain: { id: "default" } } };
  const token = await login(url, passwordBody(project));
  const headers = { "x-auth-token": token };
  const own = await fetch(`${url}/v3/auth/tokens`, { headers: { ...headers, "x-subject-token": token } });
  const path = `/v3/users/${(await own.json()).token.user.id}/application_credentials`;
  const made = await post(url, path, headers, { application_credential: { name: "bench" } });
  const { id, secret } = made.application_credential;
  const unscoped = await login(url, passwordBody("unscoped"));
  const byToken = { methods: ["token"], token: { id: unscoped } };
  const byCredential = { methods: ["application_credential"], application_credential: { id, secret } };
  const bearer = { authorization: `Bearer ${await openId.workloadToken("capacity")}` };
  const federated = `/v3/OS-FEDERATION/identity_providers/${seeds.provider}/protocols/login/auth`;
  const tokens = "/v3/auth/tokens";
  const validation = { headers: { "x-auth-token": system, "x-subject-token": token } };
  const works = [
    { work: "validation", count: 5000, path: tokens, request: validation },
    {
      work: "login by token",
      count: 3000,
      path: tokens,
      request: logIn({ identity: byToken, scope: project }),
    },
    {
      work: "login by application credential",
      count: 3000,
      path: tokens,
      request: logIn({ identity: byCredential }),
    },
    { work: "login by password", count: 300, path: tokens, request: logIn(passwordBody(project).auth) },
    {
      work: "login by a provider's token",
      count: 1000,
      path: federated,
      request: { method: "POST", headers: bearer },
    },
  ];
  for (const { work, count, path: target, request } of works) {
    const ask = async () => {
      const answer = await fetch(`${url}${target}`, request);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${work}: ${answer.status}`);
    };
    await repeat(Math.min(count, WARM_UP), ask);
    const before = cpuMs(pid);
    await repeat(count, ask);
    row({
      work: `${name}: CPU time of a ${work}`,
      hamkit: ((cpuMs(pid) - before) / count) * 1000,
      unit: "µs",
    });
  }
}

const logIn = (auth) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ auth }),
});

async function repeat(count, ask) {
  let left = count;
  const client = async () => {
    while (left-- > 0) await ask();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Of all threads of a process. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const sqlite = async (folder) => ({ url: `sqlite:${join(folder, "identity.db")}`, remove: async () => {} });

/** Of each table, after each user got a federated identity and an application credential too. */
async function tableSizes(name, url, { provider }) {
  const database = await openDatabase(url);
  try {
    await database.run(
      `insert into federated_user (idp_id, protocol_id, unique_id, user_id)
         select '${provider}', 'login', 'user-of-a-provider-' || id, id from "user" where name like 'user-%'`,
    );
    await database.run(
      `insert into application_credential (id, name, secret_hash, user_id, project_id)
         select u.id, 'of a program', hash, u.id, (select min(id) from project where not is_domain)
         from "user" u join user_password p on p.user_id = u.id where u.name like 'user-%'`,
    );
    if (name === "PostgreSQL") await database.run("analyze");
    const [, statement] = new RegExp(`^\`\`\`sql ${name}\\n(.*?)^\`\`\`$`, "ms").exec(PAGE);
    return await database.rows(statement);
  } finally {
    await database.close();
  }
}
