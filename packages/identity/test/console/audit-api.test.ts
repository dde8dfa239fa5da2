/** The audit trail for auditors: by the API and on the command line. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { commandLine } from "../command-line.js";
import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";

const KEPT = { IDENTITY_AUDIT_TRAIL_DAYS: "30" };
const shell = commandLine();

let replicas: TestReplicas;
let admin: string;
let now = Date.UTC(2026, 10, 28, 12);
beforeAll(async () => {
  replicas = await testReplicas(databases, 1, { env: KEPT, clock: { now: () => now } });
  admin = await logIn("admin", ADMIN_PASSWORD, { system: { all: true } });
}, 60_000);
afterAll(() => replicas.remove());

async function ask(
  method: string,
  path: string,
  { token = admin, body }: { token?: string; body?: object } = {},
) {
  const response = await (replicas.apps[0] as App).server.inject({
    method: method as "GET",
    url: path.startsWith("/v3") ? path : `/v3${path}`,
    headers: { ...(token !== "" && { "x-auth-token": token }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.statusCode, headers: response.headers, text: response.body };
}

async function logIn(name: string, password: string, scope?: object): Promise<string> {
  const user = { name, domain: { id: "default" }, password };
  const auth = { identity: { methods: ["password"], password: { user } }, ...(scope && { scope }) };
  const { headers } = await ask("POST", "/auth/tokens", { token: "", body: { auth } });
  return String(headers["x-subject-token"]);
}

interface Listed {
  readonly audit_events: readonly { readonly id: string; readonly action: string; readonly at: string }[];
  readonly links: { readonly next: string | null };
}
const list = async (query = "") => JSON.parse((await ask("GET", `/audit_events${query}`)).text) as Listed;
const actions = async (query: string) => (await list(query)).audit_events.map(({ action }) => action);

describe(`audit events on ${databases.name}`, () => {
  it("are listed by time, user, target, action and outcome, in pages that follow each other", async () => {
    for (const id of ["north", "south", "west"]) {
      now += 1000;
      await ask("POST", "/regions", { body: { region: { id } } });
    }
    now += 1000;
    await ask("DELETE", "/regions/none");
    await expect.poll(async () => (await list()).audit_events.length, { timeout: 10_000 }).toBe(5);
    expect(await actions("?action=identity:create_region&limit=2")).toHaveLength(2);
    expect(await actions("?outcome=failed")).toEqual(["identity:delete_region"]);
    expect(await actions("?target=south")).toEqual(["identity:create_region"]);
    expect(await actions("?since=2026-11-28T12:00:04Z")).toEqual(["identity:delete_region"]);
    expect(await actions("?until=2026-11-28T12:00:01Z")).toEqual(["authenticate"]);
    expect((await ask("GET", "/audit_events?since=yesterday")).status).toBe(400);
    expect((await ask("GET", "/audit_events?limit=501")).status).toBe(400);
    const all = (await list()).audit_events;
    const seen: string[] = [];
    for (let next: string | null = "/v3/audit_events?limit=2"; next !== null;) {
      const page = JSON.parse((await ask("GET", next)).text) as Listed;
      seen.push(...page.audit_events.map(({ id }) => id));
      next = page.links.next && new URL(page.links.next).pathname + new URL(page.links.next).search;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it("are exported as lines of JSON and CSV, also on the command line", async () => {
    const exported = await ask("GET", "/audit_events/export?format=jsonl&action=identity:create_region");
    expect(exported.headers["content-type"]).toContain("application/x-ndjson");
    const lines = exported.text.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { target: object }).target)).toEqual([{}, {}, {}]);
    const csv = await ask("GET", "/audit_events/export?format=csv&target=south");
    expect(csv.text.split(/\r?\n/)).toEqual([
      expect.stringMatching(/^at,action,outcome,/),
      expect.stringMatching(/^2026-11-28T12:00:02.*,identity:create_region,done,201,/),
      "",
    ]);
    const env = { ...KEPT, IDENTITY_DATABASE_URL: replicas.databaseUrl };
    const run = (...args: string[]) => shell.finish(["audit", ...args], env);
    const byCommand = await run("--action", "identity:create_region", "--format", "jsonl");
    expect(byCommand).toEqual({ exit: 0, output: exported.text, errors: "" });
    expect((await run("--target", "south", "--format", "csv")).output).toBe(csv.text);
    expect((await run("--limit", "1")).output).toMatch(
      /^2026-11-28T12:00:04\S+ failed 404 identity:delete_region "admin@Default" 127\.0\.0\.1 \{"region_id":"none"\}\n$/,
    );
    expect((await run("--limit", "0")).exit).not.toBe(0);
    expect((await run("--since", "yesterday")).errors).toContain("expected a time");
    const off = await shell.finish(["audit", "--limit", "1"], { ...env, IDENTITY_AUDIT_TRAIL_DAYS: "0" });
    expect(off.errors).toContain("IDENTITY_AUDIT_TRAIL_DAYS");
  });

  it("are for administrators and readers of the system", async () => {
    const user = { name: "ada", domain_id: "default", password: "Secret-1-pw" };
    const { text } = await ask("POST", "/users", { body: { user } });
    const { id } = (JSON.parse(text) as { user: { id: string } }).user;
    const paths = ["/audit_events", "/audit_events/export?format=csv"];
    const statusesOf = (token: string) =>
      Promise.all(paths.map(async (path) => (await ask("GET", path, { token })).status));
    expect(await statusesOf("")).toEqual([401, 401]);
    expect(await statusesOf(await logIn("ada", "Secret-1-pw"))).toEqual([403, 403]);
    const roles = JSON.parse((await ask("GET", "/roles?name=reader")).text) as { roles: { id: string }[] };
    await ask("PUT", `/system/users/${id}/roles/${roles.roles[0]?.id}`);
    expect(await statusesOf(await logIn("ada", "Secret-1-pw", { system: { all: true } }))).toEqual([
      200, 200,
    ]);
  });

  it("are not found where none are kept", async () => {
    const kept = replicas;
    const others = await testReplicas(databases, 1, {});
    replicas = others;
    const token = await logIn("admin", ADMIN_PASSWORD, { system: { all: true } });
    for (const path of ["/audit_events", "/audit_events/export?format=csv"]) {
      const { status, text } = await ask("GET", path, { token });
      expect([status, text]).toEqual([404, expect.stringContaining("IDENTITY_AUDIT_TRAIL_DAYS")]);
    }
    replicas = kept;
    await others.remove();
  });
});
