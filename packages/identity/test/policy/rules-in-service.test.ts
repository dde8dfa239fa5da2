/** Rules of files about tokens and targets, in the whole service. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

const RULES = {
  "identity:get_user": "True:%(target.user.enabled)s",
  "identity:get_project": "token.methods:token",
  "identity:list_project_tags":
    "'open':%(target.project.description)s or True:%(target.project.options.immutable)s or None:%(target.project.domain_id)s",
  "identity:list_regions": "token.audit_ids:%(filter_attr.parent_region_id)s",
};

let folder: string;
let service: TestApp;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-"));
  const file = join(folder, "policy.json");
  await writeFile(file, JSON.stringify(RULES));
  service = await testApp(databases, { IDENTITY_POLICY_FILE: file });
});
afterAll(async () => {
  await service.remove();
  await rm(folder, { recursive: true });
});

const inject = (url: string, token: string, method: "GET" | "PATCH" | "POST" = "GET", payload?: object) =>
  service.app.server.inject({ method, url, headers: { "x-auth-token": token }, ...(payload && { payload }) });

async function login(identity: object): Promise<{ readonly token: string; readonly auditId: string }> {
  const answer = await service.app.server.inject({
    method: "POST",
    url: "/v3/auth/tokens",
    payload: { auth: { identity, scope: { system: { all: true } } } },
  });
  return {
    token: String(answer.headers["x-subject-token"]),
    auditId: answer.json<{ token: { audit_ids: string[] } }>().token.audit_ids[0] ?? "",
  };
}

const byPassword = () =>
  login({
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
  });

describe("rules of files in the service", () => {
  it("see the members of the caller's own token, also where another one has the same user, scope and roles", async () => {
    const first = await byPassword();
    const second = await login({ methods: ["token"], token: { id: first.token } });
    const third = await byPassword();
    const project = (await inject("/v3/auth/projects", first.token)).json<{ projects: { id: string }[] }>();
    const url = `/v3/projects/${project.projects[0]?.id}`;
    for (let times = 0; times < 2; times++) {
      expect((await inject(url, first.token)).statusCode).toBe(403);
      expect((await inject(url, second.token)).statusCode).toBe(200);
      for (const [one, other] of [
        [first, third],
        [third, first],
      ] as const) {
        const regions = (auditId: string) => inject(`/v3/regions?parent_region_id=${auditId}`, one.token);
        expect((await regions(one.auditId)).statusCode).toBe(200);
        expect((await regions(other.auditId)).statusCode).toBe(403);
      }
    }
  });

  it("see a target as it is at each request", async () => {
    const { token } = await byPassword();
    const { user } = (
      await inject("/v3/users", token, "POST", { user: { name: "target", email: "t@example.org" } })
    ).json<{ user: { id: string } }>();
    const url = `/v3/users/${user.id}`;
    const shown = await inject(url, token);
    expect(shown.statusCode).toBe(200);
    expect(shown.json()).toMatchObject({ user: { name: "target", email: "t@example.org" } });
    expect((await inject(url, token, "PATCH", { user: { enabled: false } })).statusCode).toBe(200);
    expect((await inject(url, token)).statusCode).toBe(403);
    expect((await inject(url, token, "PATCH", { user: { enabled: true } })).statusCode).toBe(200);
    expect((await inject(url, token)).statusCode).toBe(200);
  });

  it("see of a project what its route has read: all that the API shows", async () => {
    const { token } = await byPassword();
    const made = async (project: object) => {
      const answer = await inject("/v3/projects", token, "POST", { project });
      return answer.json<{ project: { id: string } }>().project.id;
    };
    const statusOf = async (id: string) => (await inject(`/v3/projects/${id}/tags`, token)).statusCode;
    const open = await made({ name: "open", description: "open" });
    const closed = await made({ name: "closed", description: "closed" });
    const immutable = await made({ name: "immutable", options: { immutable: true } });
    expect(await statusOf(open)).toBe(200);
    expect(await statusOf(closed)).toBe(403);
    expect(await statusOf(immutable)).toBe(200);
    expect(await statusOf("missing")).toBe(403);
    // The project of a domain has no domain.
    expect(await statusOf("default")).toBe(200);
    const change = await inject(`/v3/projects/${closed}`, token, "PATCH", {
      project: { description: "open" },
    });
    expect(change.statusCode).toBe(200);
    expect(await statusOf(closed)).toBe(200);
  });
});
