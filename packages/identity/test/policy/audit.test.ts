import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { UnauthorizedError } from "../../src/platform/errors.js";
import { auditRequests, writeAudit } from "../../src/policy/audit.js";
import type { Credentials } from "../../src/policy/caller.js";
import { guardRoutes } from "../../src/policy/guard.js";
import { inProject, SYSTEM_ADMIN } from "../feature-server.js";
import { testServer } from "../test-server.js";

let service: ReturnType<typeof testServer>;
beforeEach(async () => {
  service = testServer({ isTrustedProxy: () => true });
  const { server } = service;
  guardRoutes(server, {
    authenticate: async (token) => {
      if (!token.startsWith("{")) throw new UnauthorizedError("no credentials");
      return JSON.parse(token) as Credentials;
    },
  });
  auditRequests(server);
  const config = { access: "identity:delete_region" } as const;
  server.delete("/regions/:region_id", { config }, (_request, reply) => reply.code(204).send());
  server.post("/regions", { config: { access: "identity:create_region" } }, () => {
    throw new TypeError("broken");
  });
  const choose = () => ({ action: "identity:delete_role" }) as const;
  server.delete("/roles/:role_id", { config: { access: { choose } } }, (_request, reply) =>
    reply.code(204).send(),
  );
  server.get("/regions", { config: { access: "identity:list_regions" } }, () => ({}));
  server.post("/login", { config: { access: "public" } }, (request, reply) => {
    writeAudit(request, 201, { action: "authenticate", user: "alice", target: {}, outcome: "done" });
    return reply.code(201).send({});
  });
  await server.ready();
});
afterEach(() => service.server.close());

async function ask(method: "GET" | "POST" | "DELETE", url: string, as?: Credentials): Promise<unknown[]> {
  const headers = {
    "x-forwarded-for": "192.0.2.7",
    ...(as === undefined ? {} : { "x-auth-token": JSON.stringify(as) }),
  };
  await service.server.inject({
    method,
    url,
    headers,
    ...(method === "POST" && { payload: { password: "s3cret" } }),
  });
  return service.lines().flatMap((line) => ("audit" in line ? [line["audit"]] : []));
}

const request = expect.stringMatching(/^req-/) as string;

describe("the record of changes", () => {
  it("has initiator, action, target and address", async () => {
    expect(await ask("DELETE", "/regions/one%20two?x=s3cret", SYSTEM_ADMIN)).toEqual([
      {
        action: "identity:delete_region",
        user: "admin-user",
        scope: { kind: "system" },
        target: { region_id: "one two" },
        outcome: "done",
        status: 204,
        request,
        from: "192.0.2.7",
      },
    ]);
  });

  it("has denied and unauthenticated requests", async () => {
    const member = inProject("p1", "d1", "member");
    await ask("DELETE", "/regions/one", member);
    expect(await ask("DELETE", "/regions/one")).toMatchObject([
      {
        user: "project-user",
        scope: { kind: "project", projectId: "p1" },
        target: { region_id: "one" },
        outcome: "refused",
        status: 403,
      },
      { target: { region_id: "one" }, outcome: "refused", status: 401 },
    ]);
  });

  it("names the rule that was chosen for the request, and the route where none was yet", async () => {
    await ask("DELETE", "/roles/r1", SYSTEM_ADMIN);
    expect(await ask("DELETE", "/roles/r1")).toMatchObject([
      { action: "identity:delete_role", target: { role_id: "r1" }, outcome: "done" },
      { action: "DELETE /roles/:role_id", target: { role_id: "r1" }, outcome: "refused", status: 401 },
    ]);
  });

  it("has what failed, and nothing of what was sent", async () => {
    expect(await ask("POST", "/regions", SYSTEM_ADMIN)).toMatchObject([{ outcome: "failed", status: 500 }]);
    expect(JSON.stringify(service.lines())).not.toContain("s3cret");
  });

  it("has no reading, nothing public but what a route writes by itself, and no address where nothing is", async () => {
    await ask("GET", "/regions", SYSTEM_ADMIN);
    await ask("POST", "/nowhere", SYSTEM_ADMIN);
    expect(await ask("POST", "/login")).toEqual([
      {
        action: "authenticate",
        user: "alice",
        target: {},
        outcome: "done",
        status: 201,
        request,
        from: "192.0.2.7",
      },
    ]);
  });
});
