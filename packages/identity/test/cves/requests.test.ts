/** Vulnerabilities of Keystone to requests without permission, hostile requests, and in its log. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createLog } from "../../src/platform/log.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";
import { cpuMs } from "../cpu-time.js";

const PASSWORD = "a secret password";

let log = "";
let service: TestApp;
let admin = "";
let member = "";
let project = "";
let user = "";
beforeAll(async () => {
  const logged = createLog("trace", { write: (line) => (log += line) });
  service = await testApp(sqliteDatabases, { IDENTITY_LOCKOUT_ATTEMPTS: "3" }, { log: logged });
  admin = (
    await logIn(
      { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD },
      { system: { all: true } },
    )
  ).token;
  project = (await ask("POST", "/v3/projects", { body: { project: { name: "p", domain_id: "default" } } }))
    .body.project.id;
  user = await addUser("alice");
  member = (await logIn({ id: user, password: PASSWORD }, { project: { id: project } })).token;
});
afterAll(() => service.remove());

interface Asked {
  readonly token?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(method: string, url: string, { token = admin, body, headers = {} }: Asked = {}) {
  const answer = await service.app.server.inject({
    method: method as "GET",
    url,
    headers: { ...(token !== "" && { "x-auth-token": token }), ...headers },
    ...(body !== undefined && { payload: body }),
  });
  const isJson = String(answer.headers["content-type"]).startsWith("application/json") && answer.body !== "";
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  const parsed: any = isJson ? answer.json() : undefined;
  return { status: answer.statusCode, body: parsed, token: String(answer.headers["x-subject-token"] ?? "") };
}

const logIn = (named: object, scope?: object, methods: readonly string[] = ["password"]) =>
  ask("POST", "/v3/auth/tokens", {
    token: "",
    body: { auth: { identity: { methods, password: { user: named } }, ...(scope && { scope }) } },
  });

async function addUser(name: string, role = "member"): Promise<string> {
  const { body } = await ask("POST", "/v3/users", {
    body: { user: { name, password: PASSWORD, domain_id: "default" } },
  });
  const roleId = (await ask("GET", `/v3/roles?name=${role}`)).body.roles[0].id as string;
  await ask("PUT", `/v3/projects/${project}/users/${body.user.id}/roles/${roleId}`);
  return body.user.id as string;
}

/** A request that takes no more processor time than a few password hashes. */
async function quickly<Result>(work: () => Promise<Result>): Promise<Result> {
  const start = cpuMs();
  const result = await work();
  expect(cpuMs() - start).toBeLessThan(3000);
  return result;
}

describe(`hostile requests on ${sqliteDatabases.name}`, () => {
  it("CVE-2012-1572: a password of 100,000 characters is rejected at once", async () => {
    const password = "x".repeat(100_000);
    expect((await quickly(() => logIn({ id: user, password }))).status).toBe(401);
    const body = { user: { name: "long", password, domain_id: "default" } };
    expect((await quickly(() => ask("POST", "/v3/users", { body }))).status).toBe(403);
  });

  it("CVE-2013-0270, CVE-2013-2014: a larger body is rejected before it is read as a whole", async () => {
    const name = "x".repeat(200_000);
    expect((await quickly(() => logIn({ name, domain: { id: "default" }, password: "x" }))).status).toBe(413);
    const scope = { project: { name: "x".repeat(100_000), domain: { id: "default" } } };
    expect((await quickly(() => logIn({ id: user, password: PASSWORD }, scope))).status).toBe(401);
  });

  it("CVE-2013-0247: a rejected request writes little to the log, whatever its size", async () => {
    const before = log.length;
    const named = { name: "y".repeat(50_000), domain: { id: "default" }, password: "x" };
    expect((await logIn(named, { project: { id: "z".repeat(50_000) } })).status).toBe(401);
    const headers = { "x-subject-token": "t".repeat(10_000) };
    expect((await ask("GET", "/v3/auth/tokens", { headers })).status).toBe(404);
    expect(log.length - before).toBeLessThan(20_000);
  });

  it("CVE-2013-1664, CVE-2013-1665: XML with entities is no login", async () => {
    const body = `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "&x;&x;">]><auth>&y;</auth>`;
    const headers = { "content-type": "application/xml" };
    const { status, body: answer } = await quickly(() =>
      ask("POST", "/v3/auth/tokens", { token: "", body, headers }),
    );
    expect([400, 415]).toContain(status);
    expect(JSON.stringify(answer)).not.toContain("root:");
  });

  it("CVE-2014-2828: a method that is named thousands of times is tried once", async () => {
    const id = await addUser("often");
    const methods = Array.from({ length: 5000 }, () => "password");
    // A user is locked out after three failures.
    expect((await quickly(() => logIn({ id, password: "wrong" }, undefined, methods))).status).toBe(401);
    expect((await quickly(() => logIn({ id, password: PASSWORD }, undefined, methods))).status).toBe(201);
  });
});

describe(`requests without permission on ${sqliteDatabases.name}`, () => {
  it("CVE-2012-3542, CVE-2012-4456: nothing is created, changed or read without a token, or by a member", async () => {
    const requests = [
      ["POST", "/v3/users", { user: { name: "x", default_project_id: project } }],
      ["PATCH", `/v3/users/${user}`, { user: { default_project_id: project } }],
      ["PUT", `/v3/projects/${project}/users/${user}/roles/${user}`, undefined],
      ["POST", "/v3/projects", { project: { name: "x" } }],
      ["GET", "/v3/projects", undefined],
      ["GET", "/v3/services", undefined],
      ["POST", "/v3/services", { service: { type: "x" } }],
      ["DELETE", `/v3/projects/${project}`, undefined],
    ] as const;
    for (const [method, url, body] of requests) {
      const by = async (token: string) => (await ask(method, url, { token, ...(body && { body }) })).status;
      expect([method, url, await by("")]).toEqual([method, url, 401]);
      expect([method, url, await by(member)]).toEqual([method, url, 403]);
    }
    for (const url of ["/v2.0/tenants", "/v2.0/users", "/v2.0/OS-KSADM/services", "/v2.0/tokens"])
      expect((await ask("GET", url, { token: "" })).status).toBe(404);
  });

  it("CVE-2018-14432: a user lists the own projects and domains, and no others", async () => {
    await ask("POST", "/v3/projects", { body: { project: { name: "of others", domain_id: "default" } } });
    for (const path of ["/v3/OS-FEDERATION/projects", "/v3/auth/projects"]) {
      const { body } = await ask("GET", path, { token: member });
      expect(body.projects.map(({ id }: { id: string }) => id)).toEqual([project]);
    }
    for (const path of ["/v3/OS-FEDERATION/domains", "/v3/auth/domains"])
      expect((await ask("GET", path, { token: member })).body.domains).toEqual([]);
  });

  it("CVE-2019-19687: a user lists the own credentials, and no others", async () => {
    const other = await addUser("bob");
    const add = async (user_id: string) => {
      const credential = { type: "cert", blob: `of ${user_id}`, user_id };
      return (await ask("POST", "/v3/credentials", { body: { credential } })).body.credential.id as string;
    };
    const [own] = [await add(user), await add(other)];
    const listed = async (query = "") =>
      (await ask("GET", `/v3/credentials${query}`, { token: member })).body.credentials.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed()).toEqual([own]);
    expect(await listed(`?user_id=${other}`)).toEqual([]);
  });

  it("CVE-2026-80183: a domain is no project, whose tree any reader might list", async () => {
    const reader = await addUser("rita", "reader");
    const { token } = await logIn({ id: reader, password: PASSWORD }, { project: { id: project } });
    for (const id of ["default", project]) {
      const url = `/v3/role_assignments?scope.project.id=${id}&include_subtree=true`;
      expect([id, (await ask("GET", url, { token })).status]).toEqual([id, 403]);
    }
  });
});

describe(`logins on ${sqliteDatabases.name}`, () => {
  const body = async (named: object) => {
    const { status, body: answer } = await logIn(named);
    return { status, answer };
  };

  it("CVE-2013-2157: an empty password, or none, is wrong", async () => {
    const none = await addUserWithoutPassword();
    for (const id of [user, none])
      for (const password of ["", " ", "\0", undefined])
        expect([400, 401]).toContain(
          (await logIn({ id, ...(password !== undefined && { password }) })).status,
        );
  });

  async function addUserWithoutPassword(): Promise<string> {
    return (await ask("POST", "/v3/users", { body: { user: { name: "no password", domain_id: "default" } } }))
      .body.user.id;
  }

  it("CVE-2018-20170, CVE-2021-38155: users that do not exist, are disabled or locked out are refused alike", async () => {
    const [disabled, locked] = [await addUser("disabled"), await addUser("locked")];
    await ask("PATCH", `/v3/users/${disabled}`, { body: { user: { enabled: false } } });
    const wrong = await body({ id: user, password: "wrong" });
    expect(wrong.status).toBe(401);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await body({ id: locked, password: "wrong" })).toEqual(wrong);
    // Locked now.
    for (const named of [
      { id: locked, password: "wrong" },
      { id: locked, password: PASSWORD },
      { id: disabled, password: "wrong" },
      { id: "f".repeat(32), password: "wrong" },
      { name: "does not exist", domain: { id: "default" }, password: "wrong" },
      { name: "alice", domain: { id: "does not exist" }, password: PASSWORD },
    ])
      expect([named, await body(named)]).toEqual([named, wrong]);
    await logIn({ id: user, password: PASSWORD });
  });
});

describe(`secrets on ${sqliteDatabases.name}`, () => {
  it("CVE-2013-2006, CVE-2015-3646: are in no log line, at the finest level", async () => {
    const secret = "the-secret-of-a-program";
    const { status } = await ask("POST", `/v3/users/${user}/application_credentials`, {
      token: member,
      body: { application_credential: { name: "robot", secret } },
    });
    expect(status).toBe(201);
    await logIn({ id: user, password: "a wrong password" });
    await ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": member } });
    expect(log).toContain("/v3/auth/tokens");
    for (const text of [
      PASSWORD,
      ADMIN_PASSWORD,
      "a wrong password",
      secret,
      member,
      admin,
      Buffer.alloc(32, 7).toString("base64"),
    ])
      expect(log).not.toContain(text);
  });

  it("CVE-2014-3621: settings do not fill in the URLs of a catalog", async () => {
    const service_id = (await ask("POST", "/v3/services", { body: { service: { type: "leaky" } } })).body
      .service.id as string;
    for (const name of ["admin_token", "IDENTITY_MASTER_KEY", "adminPassword", "database", "constructor"]) {
      const endpoint = { service_id, interface: "public", url: `http://h/$(${name})s` };
      expect([201, 400]).toContain((await ask("POST", "/v3/endpoints", { body: { endpoint } })).status);
    }
    const { catalog } = (await ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": member } })).body
      .token;
    const leaky = catalog.find(({ type }: { type: string }) => type === "leaky");
    expect(leaky?.endpoints ?? []).toEqual([]);
  });
});
