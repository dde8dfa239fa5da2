/** A login protocol in a folder of its own, which nothing else in the service knows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../../databases.js";
import { asserted, loginServer, type LoginServer } from "../login-server.js";
import { ticketOf, ticketProtocol } from "./ticket-protocol.js";

const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/idp/protocols/tickets";
const SECRET = "a secret of tickets, 30 letters";

describe(`a fourth protocol, with ${databases.name}`, () => {
  let server: LoginServer;
  beforeAll(async () => {
    server = await loginServer(databases, undefined, { protocolTypes: [ticketProtocol] });
  });
  afterAll(() => server.close());

  const logIn = (secret: string) =>
    server.ask("GET", `${PROTOCOL}/auth`, {
      token: "",
      headers: { "x-ticket": ticketOf(asserted("kim"), secret) },
    });
  const store = (settings: object) =>
    server.ask("PUT", PROTOCOL, { body: { protocol: { mapping_id: "people", settings } } });

  it("has settings with rules, a secret, checks and what to register", async () => {
    expect((await store({ type: "ticket" })).status).toBe(400);
    const { status, body } = await store({ type: "ticket", header: "cookie" });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('"header" is "cookie"')]);
    const stored = await store({ type: "ticket", header: "x-ticket", ticket_secret: SECRET });
    expect(stored.status).toBe(201);
    expect(stored.text).not.toContain(SECRET);
    expect(stored.body.protocol).toMatchObject({
      settings: { type: "ticket", header: "x-ticket", secrets_set: ["ticket_secret"] },
      checks: expect.arrayContaining([
        { check: "secret", status: "ok", message: "ticket_secret is set" },
      ]) as unknown,
      register: { ticket_header: "x-ticket" },
    });
  });

  it("keeps its secret when other settings change", async () => {
    const body = { protocol: { settings: { allow_loopback_websso: true } } };
    expect((await server.ask("PATCH", PROTOCOL, { body })).body.protocol.settings).toEqual({
      type: "ticket",
      header: "x-ticket",
      allow_loopback_websso: true,
      secrets_set: ["ticket_secret"],
    });
  });

  it("logs users in whose ticket is signed, and no others", async () => {
    const { status, body, token } = await logIn(SECRET);
    expect([status, body.token.user.name, body.token.methods]).toEqual([201, "kim", ["tickets"]]);
    expect(token).not.toBe("");
    expect((await logIn("another secret of tickets")).status).toBe(401);
    expect(server.refusals.at(-1)).toMatchObject({ reason: "the ticket's MAC does not verify" });
  });

  it("is tried out by test logins", async () => {
    const draft = { test_login: { access_token: ticketOf(asserted("kim"), SECRET) } };
    const { status, body } = await server.ask("POST", `${PROTOCOL}/test_logins`, { body: draft });
    expect([status, body.test_login.result.steps[0].step]).toEqual([201, "signature"]);
    expect(body.test_login.result.user).toMatchObject({ name: "kim", exists: true });
  });

  it("has health", async () => {
    const { body } = await server.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp/health");
    const found = body.health.protocols.find(({ id }: { id: string }) => id === "tickets");
    expect(found).toMatchObject({ type: "ticket", status: "healthy", keys: [{ id: "mac" }] });
  });
});
