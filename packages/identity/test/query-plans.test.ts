/** Each statement of frequent requests finds its rows by an index, in a cloud of 20,000 users. */
import Libsql from "libsql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { databases, type TestDatabase } from "./databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "./test-app.js";
import { openSqliteFile, sqliteLibraries } from "../src/platform/database/sqlite/sqlite-library.js";

interface Seeds {
  readonly domain: string;
  readonly role: string;
  readonly provider: string;
}

/** The cloud of `npm run bench -- scale`. */
const { fillCloud, idOf } = (await import(
  new URL("../../../bench/scale/cloud.mjs", import.meta.url).href
)) as {
  readonly fillCloud: (url: string, users: number, seeds: Seeds) => Promise<void>;
  readonly idOf: (kind: string, n: number) => string;
};

/** The class that the service opens files with. */
const SqliteLibrary = sqliteLibraries().has("node")
  ? (process.getBuiltinModule("node:sqlite") as unknown as { readonly DatabaseSync: typeof Libsql })
      .DatabaseSync
  : Libsql;

const USERS = 20_000;
/** A project has 1,000 assignments; joins read a few rows for each. */
const MAX_ROWS_READ = 6000;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

let cloud: TestApp;
let place: TestDatabase;
let domain: string;
let token: string;
/** Since the last request. SQLite's driver prepares a statement once: later requests with it are not noted. */
const statements: Statement[] = [];
let checked = 0;

beforeAll(async () => {
  place = await databases.create();
  const shared = {
    name: databases.name,
    isShared: true,
    create: async () => ({ url: place.url, remove: async () => {} }),
  } as const;
  const first = await testApp(shared);
  const seeds = await createSeeds(first);
  await first.remove();
  await fillCloud(place.url, USERS, seeds);
  record();
  cloud = await testApp(shared);
  token = await logIn(cloud);
  domain = seeds.domain;
}, 120_000);

afterAll(async () => {
  vi.restoreAllMocks();
  await cloud.remove();
  await place.remove();
});

/** Notes the statements of both drivers. */
function record(): void {
  const { prototype } = SqliteLibrary;
  const prepare = Reflect.get(prototype, "prepare");
  vi.spyOn(prototype, "prepare").mockImplementation(function (this: typeof prototype, text: string) {
    statements.push({ text, values: [] });
    return prepare.call(this, text);
  });
  const query = Reflect.get(pg.Client.prototype, "query") as (
    this: pg.Client,
    ...given: unknown[]
  ) => unknown;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [text, values] = given;
    if (typeof text === "string") statements.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, given) as never;
  });
}

async function logIn({ app }: TestApp): Promise<string> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const answer = await app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: {
      auth: { identity: { methods: ["password"], password: { user } }, scope: { system: { all: true } } },
    },
  });
  return answer.headers["x-subject-token"] as string;
}

async function createSeeds(service: TestApp): Promise<Seeds> {
  const headers = { "x-auth-token": await logIn(service) };
  const send = async (method: "POST" | "PUT" | "GET", url: string, payload?: object) =>
    (await service.app.server.inject({ method, url, headers, ...(payload && { payload }) })).json<
      Record<string, { id: string }>
    >();
  const { domain: made } = await send("POST", "/v3/domains", { domain: { name: "scale" } });
  const { roles } = (await send("GET", "/v3/roles?name=member")) as unknown as { roles: { id: string }[] };
  const { service: catalogService } = await send("POST", "/v3/services", { service: { type: "scale" } });
  await send("POST", "/v3/registered_limits", {
    registered_limits: [{ service_id: catalogService?.id, resource_name: "resource-0", default_limit: 10 }],
  });
  const provider = "/v3/OS-FEDERATION/identity_providers/scale";
  await send("PUT", provider, { identity_provider: { domain_id: made?.id } });
  await send("PUT", `${provider}/protocols/mapped`, { protocol: { mapping_id: "none" } });
  return { domain: made?.id ?? "", role: roles[0]?.id ?? "", provider: "scale" };
}

/** The faults of all statements noted. */
async function faultsOfReads(): Promise<string[]> {
  const reads = statements.filter(({ text }) => /^\s*(?:with|select) /i.test(text));
  checked += reads.length;
  const faults: string[] = [];
  for (const read of reads) for (const fault of await faultsOf(read)) faults.push(`${fault} by ${read.text}`);
  return faults;
}

/** What a statement reads by the plan that the database made, in words; none if all is well. */
async function faultsOf(statement: Statement): Promise<string[]> {
  return databases.name === "SQLite" ? sqliteFaults(statement) : postgresFaults(statement);
}

interface PlanStep {
  readonly parent: number;
  readonly detail: string;
}

/** Tables with a row for each user, or more. */
const SCAN = /^SCAN (?:user|user_password|assignment|revocation_event|limit|group|group_member|project)$/;
/** Thousands of rows have the same value. */
const SEARCH_OF_DOMAIN = /\(domain_id=\?\)/;

/** SQLite has no statistics here, and plans by indexes alone: so the plan tells whether there is one. */
function sqliteFaults({ text }: Statement): string[] {
  const connection = openSqliteFile(place.url.slice("sqlite:".length));
  try {
    const steps = connection.prepare(`explain query plan ${text}`).all() as PlanStep[];
    // The first rows, in any order.
    const isBounded = text.endsWith(" limit ?") && !text.includes("order by");
    const isSorted = ({ parent }: PlanStep) =>
      steps.some((step) => step.parent === parent && step.detail === "USE TEMP B-TREE FOR ORDER BY");
    return steps
      .filter(
        (step) =>
          (SCAN.test(step.detail) && !isBounded) ||
          // Reading a domain in the order of ids until the name is found reads half of it.
          (SEARCH_OF_DOMAIN.test(step.detail) && (isSorted(step) || text.includes('"name" = ?'))),
      )
      .map(({ detail }) => detail);
  } finally {
    connection.close();
  }
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

async function postgresFaults({ text, values }: Statement): Promise<string[]> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    // 20,000 users fit into few pages, which PostgreSQL rather reads whole.
    await client.query("set enable_seqscan = off");
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      [...values],
    );
    const read = nodesOf(rows[0]?.["QUERY PLAN"][0].Plan)
      .filter((node) => node["Relation Name"] !== undefined)
      .map((node) => ({
        from: `${node["Node Type"]} on ${node["Relation Name"]}`,
        rows: (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      }));
    return read
      .filter(({ rows: count }) => count > MAX_ROWS_READ)
      .map(({ from, rows: count }) => `${from}: ${count} rows`);
  } finally {
    await client.end();
  }
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

describe(`on ${databases.name}`, () => {
  it.each<[string, () => string]>([
    ["a page of a domain's users", () => `/v3/users?domain_id=${domain}&limit=100&marker=${idOf("user", 9)}`],
    ["a page of all users", () => `/v3/users?limit=100&marker=${idOf("user", 9)}`],
    ["a user by name", () => `/v3/users?domain_id=${domain}&name=user-9`],
    ["users of a group", () => `/v3/groups/${idOf("group", 9)}/users`],
    ["groups of a user", () => `/v3/users/${idOf("user", 9)}/groups`],
    ["projects of a user", () => `/v3/users/${idOf("user", 9)}/projects`],
    ["a page of a domain's groups", () => `/v3/groups?domain_id=${domain}&limit=100`],
    ["a page of a domain's projects", () => `/v3/projects?domain_id=${domain}&limit=100`],
    ["children of a project", () => `/v3/projects?parent_id=${idOf("project", 1)}`],
    ["assignments of a user", () => `/v3/role_assignments?user.id=${idOf("user", 9)}`],
    ["effective assignments of a user", () => `/v3/role_assignments?effective&user.id=${idOf("user", 9)}`],
    [
      "effective assignments of a project",
      () => `/v3/role_assignments?effective&scope.project.id=${idOf("project", 9)}`,
    ],
    ["assignments of a role, a page", () => "/v3/role_assignments?limit=100"],
    ["limits of a project", () => `/v3/limits?project_id=${idOf("project", 9)}`],
    ["effective limits of a project", () => `/v3/limits/effective?project_id=${idOf("project", 9)}`],
    ["a page of identity providers", () => "/v3/OS-FEDERATION/identity_providers?limit=10"],
    ["trusts of a user", () => `/v3/OS-TRUST/trusts?trustor_user_id=${idOf("user", 9)}`],
    ["credentials of a user", () => `/v3/credentials?user_id=${idOf("user", 9)}`],
    ["a domain by name", () => "/v3/domains?name=scale"],
  ])("reads no more than it needs: %s", async (_name, pathOf) => {
    statements.length = 0;
    const answer = await cloud.app.server.inject({ url: pathOf(), headers: { "x-auth-token": token } });
    expect(answer.statusCode).toBe(200);
    expect(await faultsOfReads()).toEqual([]);
  });

  it("reads no more than it needs: a login by password", async () => {
    statements.length = 0;
    // The administrator's password is that of all users of the cloud.
    const user = { name: "user-9", domain: { id: domain }, password: ADMIN_PASSWORD };
    const answer = await cloud.app.server.inject({
      method: "POST",
      url: "/v3/auth/tokens",
      payload: {
        auth: {
          identity: { methods: ["password"], password: { user } },
          scope: { project: { id: idOf("project", ((9 * 7 + 13) % 200) + 1) } },
        },
      },
    });
    expect(answer.statusCode).toBe(201);
    expect(await faultsOfReads()).toEqual([]);
  });
});

it("is checked by a plan that shows what is read", async () => {
  const text = `select * from "user" where extra = 'x' order by extra`;
  expect(await faultsOf({ text, values: [] })).not.toEqual([]);
  expect(checked).toBeGreaterThan(20);
});
