/**
 * How the identity service grows with its cloud: 1,000 to a million users. Each figure of three clouds gives an exponent: 0 where time
 * does not depend on the size, 1 where it is proportional. Only `npm run bench -- scale` runs it: at a million users it takes long.
 * SCALE_USERS=1000,10000 chooses other sizes, SCALE_PLOTS=FOLDER also draws the curves there.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startOpenIdProvider } from "./federation-openid.mjs";
import {
  databaseOnPostgres,
  login,
  passwordBody,
  postgresAnswers,
  post,
  put,
  megabytesIn,
  serve,
  stop,
} from "./identity-service.mjs";
import { fillCloud, megabytesOf, RESOURCES } from "./scale/cloud.mjs";
import { exponentOf, plotsOf } from "./scale/plots.mjs";
import { subjectsOf } from "./scale/requests.mjs";

export const isLong = true;

const SIZES = (process.env.SCALE_USERS ?? "1000,100000,1000000").split(",").map(Number);
/** Time per subject and cloud. */
const SUBJECT_MS = 3000;
const MAX_REQUESTS = 500;
const MIN_REQUESTS = 3;
const IDLE_MS = 10_000;
/** An answer as large in each cloud may cost a little more where trees and caches are deeper; others n log n, which is 1.15 here. */
const MAX_EXPONENT = { constant: 0.25, growing: 1.2 };

export async function bench({ row }) {
  const openId = await startOpenIdProvider();
  const series = [];
  try {
    for (const [name, createDatabase] of [
      ["SQLite", sqlite],
      ["PostgreSQL", databaseOnPostgres],
    ]) {
      if (name === "PostgreSQL" && !(await postgresAnswers())) {
        row({ work: "PostgreSQL does not answer: not measured", hamkit: 0 });
        continue;
      }
      const clouds = [];
      for (const users of SIZES) clouds.push(await measureCloud(users, { createDatabase, openId }));
      report(name, clouds, row);
      series.push({ database: name, clouds });
    }
  } finally {
    openId.close();
  }
  if (process.env.SCALE_PLOTS !== undefined) draw(series, process.env.SCALE_PLOTS);
}

function draw(series, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "scale.svg"), plotsOf(series));
  writeFileSync(join(folder, "scale.json"), JSON.stringify(series, undefined, 2));
}

/** The figures of a cloud: milliseconds of each subject, start, memory, disk. */
async function measureCloud(users, { createDatabase, openId }) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-scale-bench-"));
  const database = await createDatabase(folder);
  const settings = { IDENTITY_ALLOW_HTTP_ISSUERS: "on" };
  const start = () => serve({ folder, databaseUrl: database.url, settings });
  try {
    const first = await start();
    const seeds = await createSeeds(first.url, openId.issuer);
    await stop(first.child);
    await fillCloud(database.url, users, seeds);
    const service = await start();
    try {
      await new Promise((resolve) => {
        setTimeout(resolve, IDLE_MS);
      });
      const figures = [
        { name: "start", answer: "constant", unit: "ms", value: service.startMs },
        { name: "memory after the start", unit: "MB", value: megabytesIn(service.child.pid, "VmRSS") },
        { name: "on disk", unit: "MB", value: await megabytesOf(database.url) },
      ];
      for (const subject of await subjects(users, { url: service.url, seeds, openId }))
        figures.push(await measure(service.url, subject));
      figures.push({ name: "memory at the end", unit: "MB", value: megabytesIn(service.child.pid, "VmRSS") });
      return { users, figures };
    } finally {
      await stop(service.child);
    }
  } finally {
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sqlite = async (folder) => ({ url: `sqlite:${join(folder, "identity.db")}`, remove: async () => {} });

/** What the rows refer to, created through the API. */
export async function createSeeds(url, issuer) {
  const headers = { "x-auth-token": await login(url, passwordBody({ system: { all: true } })) };
  const { domain } = await post(url, "/v3/domains", headers, { domain: { name: "scale" } });
  const answer = await fetch(`${url}/v3/roles?name=member`, { headers });
  const [{ id: role }] = (await answer.json()).roles;
  const { service } = await post(url, "/v3/services", headers, { service: { type: "scale", name: "scale" } });
  await post(url, "/v3/registered_limits", headers, {
    registered_limits: RESOURCES.map((name) => ({
      service_id: service.id,
      resource_name: name,
      default_limit: 10,
    })),
  });
  const rules = [{ remote: [{ type: "name" }], local: [{ user: { name: "{0}" } }] }];
  await put(url, "/v3/OS-FEDERATION/mappings/scale", headers, { mapping: { rules } });
  const provider = "scale";
  const path = `/v3/OS-FEDERATION/identity_providers/${provider}`;
  await put(url, path, headers, { identity_provider: { enabled: true, domain_id: domain.id } });
  await put(url, `${path}/protocols/login`, headers, {
    protocol: {
      mapping_id: "scale",
      settings: {
        type: "openid",
        issuer,
        token_kinds: ["workload"],
        audiences: ["identity-api"],
        conditions: [{ claim: "sub", values: ["job:*"] }],
        attribute_prefix: "",
      },
    },
  });
  return { domain: domain.id, role, provider };
}

async function subjects(users, { url, seeds, openId }) {
  const user = { name: "user-18", domain: { id: seeds.domain }, password: "bench-password" };
  const identity = { methods: ["password"], password: { user } };
  return subjectsOf({
    users,
    domain: seeds.domain,
    adminToken: await login(url, passwordBody({ system: { all: true } })),
    userToken: await login(url, { auth: { identity, scope: "unscoped" } }),
    workloadToken: openId.workloadToken,
    providerPath: (id) => `/v3/OS-FEDERATION/identity_providers/${id}/protocols/login/auth`,
  });
}

/** The median time of the requests of a subject, one after the other. */
async function measure(url, { name, answer, status = 200, make }) {
  const times = [];
  let bytes = 0;
  const begun = performance.now();
  while (
    times.length < MIN_REQUESTS ||
    (times.length < MAX_REQUESTS && performance.now() - begun < SUBJECT_MS)
  ) {
    const { path, method = "GET", headers, body } = await make(times.length);
    const sentAt = performance.now();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    times.push(performance.now() - sentAt);
    if (response.status !== status)
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    bytes = text.length;
  }
  times.sort((one, other) => one - other);
  return { name, answer, unit: "ms", value: times[Math.floor(times.length / 2)], bytes };
}

function report(database, clouds, row) {
  const names = clouds[0].figures.map(({ name }) => name);
  for (const name of names) {
    const figures = clouds.map((cloud) => cloud.figures.find((figure) => figure.name === name));
    for (const [index, { value, unit }] of figures.entries())
      row({
        work: index === 0 ? `${database}: ${name}, ${SIZES[0]} users` : `  ${SIZES[index]} users`,
        hamkit: value,
        unit,
      });
    const { answer } = figures[0];
    const values = figures.map(({ value }) => value);
    const growth = answer === "growing" ? growthOf(values) : exponentOf(SIZES, values);
    row({ work: "  exponent", hamkit: growth, unit: "", limit: MAX_EXPONENT[answer] });
  }
}

/** Lists of up to 1,000 items are sent at once, longer ones in slices: the step between them, wherever it is, is no growth. */
function growthOf(values) {
  return Math.min(exponentOf(SIZES, values), exponentOf(SIZES.slice(-2), values.slice(-2)));
}
