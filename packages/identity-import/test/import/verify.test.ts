/** `import --verify`: two services over HTTP, of which one is the other behind a proxy that changes responses. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { verifyImport, type VerifyOptions } from "../../src/import/verification/verify.js";
import { sqliteDatabases } from "../../../identity/test/databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../../identity/test/test-app.js";
import { PUBLIC_URL } from "../../../identity/test/test-server.js";

let service: TestApp;
let target: string;
let token: string;
let projectToken: string;
let proxy: Server;
let source: string;
/** What the proxy makes of a response. */
let changed: (path: string, body: string) => string | number;
let asked: string[];

beforeEach(async () => {
  service = await testApp(sqliteDatabases);
  target = await service.app.server.listen({ host: "127.0.0.1", port: 0 });
  token = await logIn({ system: { all: true } });
  projectToken = await logIn({ project: { name: "admin", domain: { id: "default" } } });
  changed = (_, body) => body;
  asked = [];
  proxy = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const headers = Object.entries(request.headers).filter(([name]) => name.startsWith("x-"));
    void (async () => {
      const answer = await fetch(target + path, { headers: headers as [string, string][] });
      // Keystone's own address in links, not in the catalog.
      const links = new RegExp(`(?<!"url":")${PUBLIC_URL.replaceAll(".", String.raw`\.`)}`, "g");
      const body = (await answer.text()).replaceAll(links, "http://keystone.example.org/identity");
      const result = changed(path, body);
      response.statusCode = typeof result === "number" ? result : answer.status;
      response.end(typeof result === "number" ? "{}" : result);
    })();
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  source = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  await new Promise((resolve) => {
    proxy.close(resolve);
  });
  await service.remove();
});

async function logIn(scope: object): Promise<string> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const auth = { identity: { methods: ["password"], password: { user } }, scope };
  const answer = await fetch(`${target}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ auth }),
  });
  return answer.headers.get("x-subject-token") ?? "";
}

const verify = (options: Partial<VerifyOptions> = {}) => verifyImport({ source, target, token, ...options });

describe("a verification", () => {
  it("finds no difference where both are the same, apart from addresses and the order of lists", async () => {
    changed = (path, body) => {
      if (path !== "/v3/roles") return body;
      const { roles, links } = JSON.parse(body) as { roles: unknown[]; links: unknown };
      return JSON.stringify({ links, roles: roles.toReversed() });
    };
    const report = await verify({ tokens: [projectToken] });
    expect(report.differences).toEqual([]);
    expect(report.sourceFaults).toEqual([]);
    expect(report.same).toBe(report.requests);
    expect(report.requests).toBeGreaterThan(60);
    expect(
      asked.filter((path) => /^\/v3\/users\/[0-9a-f]{32}\/application_credentials$/.test(path)),
    ).toHaveLength(1);
    expect(asked.filter((path) => path === "/v3/auth/tokens")).toHaveLength(1);
  });

  it("shows what differs: a value, a member, an item, a status; ids letter for letter", async () => {
    let projectId = "";
    changed = (path, body) => {
      if (path === "/v3/projects") {
        const { projects, ...rest } = JSON.parse(body) as { projects: { id: string; description: string }[] };
        projectId = projects[0]?.id ?? "";
        for (const project of projects) project.description = "another";
        return JSON.stringify({ ...rest, projects });
      }
      if (path === "/v3/regions") return body.replace('"RegionOne"', '"regionone"');
      if (path === "/v3/limits/model") return 404;
      return body;
    };
    const { differences } = await verify();
    expect(differences).toContainEqual({
      request: "GET /v3/projects",
      sourceStatus: 200,
      targetStatus: 200,
      values: [
        { path: `projects/${projectId}/description`, source: '"another"', target: expect.any(String) },
      ],
    });
    expect(differences.find(({ request }) => request === "GET /v3/regions")?.values).toEqual([
      { path: "regions/regionone", source: expect.stringContaining('"id":"regionone"'), target: undefined },
      { path: "regions/RegionOne", source: undefined, target: expect.stringContaining('"id":"RegionOne"') },
    ]);
    expect(differences).toContainEqual({
      request: "GET /v3/limits/model",
      sourceStatus: 404,
      targetStatus: 200,
      values: [],
    });
  });

  it("sets failures of the source apart", async () => {
    changed = (path, body) => (path === "/v3/policies" ? 500 : body);
    const report = await verify();
    expect(report.sourceFaults).toEqual(["GET /v3/policies: 500"]);
    expect(report.differences).toEqual([]);
  });

  it("shows neither secrets nor tokens", async () => {
    const { userId } = await (
      await fetch(`${target}/v3/auth/tokens`, {
        headers: { "x-auth-token": token, "x-subject-token": token },
      })
    )
      .json()
      .then((body) => ({ userId: (body as { token: { user: { id: string } } }).token.user.id }));
    await fetch(`${target}/v3/credentials`, {
      method: "POST",
      headers: { "x-auth-token": projectToken, "content-type": "application/json" },
      body: JSON.stringify({ credential: { user_id: userId, type: "cert", blob: "hidden" } }),
    });
    changed = (path, body) => (path.startsWith("/v3/credentials") ? body.replace("hidden", "other") : body);
    const report = await verify({ tokens: [projectToken] });
    expect(report.differences).toHaveLength(2);
    expect(report.differences[0]?.values).toEqual([
      { path: expect.stringMatching(/^credentials\/.*\/blob$/), source: "(secret)", target: "(secret)" },
    ]);
    for (const secret of ["hidden", token, projectToken])
      expect(JSON.stringify(report)).not.toContain(secret);
  });

  it("requests some members of a large collection, spread over it", async () => {
    const { requests } = await verify({ maxMembers: 1 });
    expect(requests).toBeLessThan((await verify()).requests);
    expect(asked.filter((path) => /^\/v3\/roles\/[0-9a-f]{32}$/.test(path)).length).toBe(1 + 5);
  });

  it("ends with the address of a service that does not respond, or that rejects the token", async () => {
    await expect(verify({ source: "http://127.0.0.1:9" })).rejects.toThrow(
      "no response from http://127.0.0.1:9/v3/domains",
    );
    await expect(verify({ token: "wrong" })).rejects.toThrow(
      /rejects the administrator's token: GET \/v3\/\w+/,
    );
    // As Keystone answers a token that it issued after the import.
    changed = () => 200;
    await expect(verify({ token: "late" })).rejects.toThrow(
      `${target} rejects the administrator's token: GET /v3/domains returns 401, expected a token that the Keystone issued before the last import`,
    );
  });
});
