/** `/v3/OS-REVOKE/events`, and the routes of PKI tokens. Expected responses are Keystone's unless a test states otherwise. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addPkiRoutes } from "../../src/auth/auth-routes.js";
import { addRevocationEventRoutes } from "../../src/tokens/revocation-event-routes.js";
import { createRevocations, type Revocations } from "../../src/tokens/revocations.js";
import { databases } from "../databases.js";
import {
  featureServer,
  inDomain,
  inProject,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";

const EVENTS = "/v3/OS-REVOKE/events";
const NOON = Date.parse("2026-11-21T12:00:00Z");

let server: FeatureServer;
let revocations: Revocations;
let now = NOON;
beforeEach(async () => {
  now = NOON;
  server = await featureServer(
    databases,
    (http, deps) => {
      revocations = createRevocations({ ...deps, retentionMs: 3_600_000 });
      addRevocationEventRoutes(http, { ...deps, revocations });
      addPkiRoutes(http);
    },
    { now: () => now },
  );
});
afterEach(() => server.close());

const eventsAt = async (query = "") => (await server.ask("GET", EVENTS + query)).body.events as object[];

describe(`revocation events on ${databases.name}`, () => {
  it("are listed in their order, with the members that are set", async () => {
    const times = { issued_before: "2026-11-21T12:00:00.000000Z", revoked_at: "2026-11-21T12:00:00.000000Z" };
    await revocations.revoke({ auditId: "a" });
    await revocations.revoke({ userId: "u", projectId: "p", roleId: "r" });
    await revocations.revoke({ userId: "u", expiresAt: NOON + 60_000 });
    await revocations.revoke({ auditChainId: "c" });
    await revocations.revoke({ domainId: "d" });
    await revocations.revoke({ domainScopeId: "d" });
    const { status, body } = await server.ask("GET", EVENTS);
    expect([status, body]).toEqual([
      200,
      {
        events: [
          { audit_id: "a", ...times },
          { user_id: "u", project_id: "p", role_id: "r", ...times },
          { user_id: "u", expires_at: "2026-11-21T12:01:00.000000Z", ...times },
          { audit_chain_id: "c", ...times },
          { domain_id: "d", ...times },
          { domain_scope_id: "d", ...times },
        ],
        links: { next: null, self: `http://127.0.0.1:5900${EVENTS}`, previous: null },
      },
    ]);
  });

  it("events-that-clients-know: none names a provider alone, which would revoke everything", async () => {
    await revocations.revoke({ identityProviderId: "idp", protocolId: "saml2" });
    await revocations.revoke({ userId: "u" });
    expect(await eventsAt()).toMatchObject([{ user_id: "u" }]);
  });

  it.each([
    ["", 2],
    ["?since=", 2],
    ["?since=2026-11-21", 2],
    ["?since=2026-11-21T12:00:00.000000Z", 2],
    ["?since=2026-11-21T12:00:01", 1],
    ["?since=2026-11-21T13:00:01%2B01:00", 1],
    ["?since=2099-01-01T00:00:00Z", 0],
  ])("are those since a time: %j", async (query, count) => {
    await revocations.revoke({ userId: "u" });
    now += 60_000;
    await revocations.revoke({ userId: "v" });
    expect(await eventsAt(query)).toHaveLength(count);
  });

  it.each(["nonsense", "2026-13-01", "2026-11-21T12:00:00Zx", "5"])("reject the time %s", async (since) => {
    const { status, body } = await server.ask("GET", `${EVENTS}?since=${since}`);
    expect([status, body.error.message]).toEqual([400, `invalidate date format ${since}`]);
  });

  it("are all listed, however many", async () => {
    for (let count = 0; count < 1101; count++) await revocations.revoke({ userId: `u${count}` });
    expect(new Set((await eventsAt()).map((event) => JSON.stringify(event))).size).toBe(1101);
  }, 60_000);

  it("are listed by administrators and services, not in domains, and by no other method", async () => {
    for (const as of [inProject("p", "d", "admin"), inProject("p", "d", "service")])
      expect((await server.ask("GET", EVENTS, { as })).status).toBe(200);
    for (const as of [SYSTEM_READER, UNSCOPED, inDomain("d", "admin"), inProject("p", "d", "manager")])
      expect((await server.ask("GET", EVENTS, { as })).status).toBe(403);
    expect((await server.ask("GET", EVENTS, { as: null })).status).toBe(401);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      expect((await server.ask(method, EVENTS)).status).toBe(405);
  });

  it("of PKI tokens are gone, as are their certificates", async () => {
    for (const path of ["ca", "certificates"]) {
      const { status, body } = await server.ask("GET", `/v3/OS-SIMPLE-CERT/${path}`, { as: null });
      expect([status, body]).toEqual([
        410,
        {
          error: {
            code: 410,
            message: "This API is no longer available due to the removal of support for PKI tokens.",
            title: "Gone",
          },
        },
      ]);
    }
    expect((await server.ask("GET", "/v3/auth/tokens/OS-PKI/revoked", { as: null })).status).toBe(403);
  });
});
