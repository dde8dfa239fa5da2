/** `/v3/policy_rules`: the rules in force, and who may read them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

let folder: string;
let service: TestApp;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-"));
  const file = join(folder, "policy.yaml");
  await writeFile(
    file,
    '\n"desk": "role:service_desk"\n"identity:delete_user": "rule:admin_required or rule:desk"\n',
  );
  service = await testApp(databases, { IDENTITY_POLICY_FILE: file });
});
afterAll(async () => {
  await service.remove();
  await rm(folder, { recursive: true });
});

async function tokenOf(name: string, password: string, scope?: object): Promise<string> {
  const user = { name, password, domain: { id: "default" } };
  const answer = await service.app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: { auth: { identity: { methods: ["password"], password: { user } }, ...(scope && { scope }) } },
  });
  return String(answer.headers["x-subject-token"]);
}

const ask = (token: string, url: string, method: "GET" | "POST" | "PUT" = "GET", payload?: object) =>
  service.app.server.inject({ method, url, headers: { "x-auth-token": token }, ...(payload && { payload }) });

it("shows texts, places and what files open to administrators and readers of the system, and to no one else", async () => {
  const admin = await tokenOf("admin", ADMIN_PASSWORD, { system: { all: true } });
  const answer = await ask(admin, "/v3/policy_rules");
  expect(answer.statusCode).toBe(200);
  const body = answer.json<{ policy_rules: { name: string }[]; impairments: string[] }>();
  expect(body.impairments).toEqual([]);
  const rules = new Map(body.policy_rules.map((rule) => [rule.name, rule]));
  expect(rules.get("identity:delete_user")).toMatchObject({
    rule: "rule:admin_required or rule:desk",
    built_in: expect.stringContaining("rule:admin_required or (role:manager"),
    place: join(folder, "policy.yaml:3"),
    scopes: ["system", "domain", "project"],
    uses: ["admin_required", "desk"],
    is_changed: true,
    opened: expect.arrayContaining([
      "users with the role service_desk with a token for a project may now delete users of any domain",
    ]),
    crosses_domains: true,
  });
  expect(rules.get("desk")).toMatchObject({ built_in: null, scopes: null, is_changed: true });
  expect(rules.get("identity:list_regions")).toMatchObject({ place: null, is_changed: false, opened: [] });

  const password = "auditor-password";
  const { user } = (await ask(admin, "/v3/users", "POST", { user: { name: "auditor", password } })).json<{
    user: { id: string };
  }>();
  const { roles } = (await ask(admin, "/v3/roles?name=reader")).json<{ roles: { id: string }[] }>();
  expect((await ask(await tokenOf("auditor", password), "/v3/policy_rules")).statusCode).toBe(403);
  await ask(admin, `/v3/system/users/${user.id}/roles/${roles[0]?.id}`, "PUT");
  const reader = await tokenOf("auditor", password, { system: { all: true } });
  expect((await ask(reader, "/v3/policy_rules")).statusCode).toBe(200);
  expect((await ask("", "/v3/policy_rules")).statusCode).toBe(401);
});
