import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import type { Member } from "../application-credentials/application-credential-server.js";
import { trustServer, TRUSTS, type TrustServer } from "./trust-server.js";

const folder = mkdtempSync(join(tmpdir(), "hamkit-redelegation-"));
const eventsFile = join(folder, "events.jsonl");
let server: TrustServer;
let alice: Member;
let bob: Member;
let carol: Member;
let dora: Member;
beforeAll(async () => {
  server = await trustServer(databases, {
    IDENTITY_ALLOW_REDELEGATION: "on",
    IDENTITY_MAX_REDELEGATION_COUNT: "2",
    IDENTITY_EVENTS_FILE: eventsFile,
  });
  alice = await server.member(["member", "service"]);
  bob = await server.member([]);
  carol = await server.member([]);
  dora = await server.member([]);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const REDELEGABLE = { allow_redelegation: true };

/** Passes a trust on: with a token of it, on the project of its trustor. */
async function pass(id: string, from: Member, to: Member, attributes: object = {}) {
  const { token } = await server.logIn(from, id);
  return server.attempt({ ...from, projectId: alice.projectId }, to, attributes, token);
}

describe(`redelegation on ${databases.name}`, () => {
  it("passes a trust on as often as it allows, by trustees without roles of their own", async () => {
    const first = await server.attempt(alice, bob, REDELEGABLE);
    expect(first.body.trust).toMatchObject({ redelegation_count: 2, redelegated_trust_id: null });
    const second = await pass(first.body.trust.id, bob, carol, REDELEGABLE);
    expect(second.body.trust).toMatchObject({
      trustor_user_id: bob.id,
      redelegation_count: 1,
      redelegated_trust_id: first.body.trust.id,
    });
    const third = await pass(second.body.trust.id, carol, dora, REDELEGABLE);
    expect(third.body.trust).toMatchObject({ trustor_user_id: carol.id, redelegation_count: 0 });
    expect(await pass(third.body.trust.id, dora, alice)).toMatchObject({ status: 403 });
    const { body } = await server.logIn(dora, third.body.trust.id);
    expect(body.token.roles.map(({ name }: { name: string }) => name)).toEqual(["member", "reader"]);
  });

  it("never passes on more than the trust has", async () => {
    const expiring = { ...REDELEGABLE, expires_at: "2098-01-01T00:00:00Z", roles: [{ name: "member" }] };
    const id = await server.trust(alice, bob, expiring);
    const status = async (attributes: object) => (await pass(id, bob, carol, attributes)).status;
    expect(await status({ roles: [{ name: "service" }] })).toBe(403);
    // Implied by member, but not itself a role of the trust.
    expect(await status({ roles: [{ name: "reader" }] })).toBe(403);
    expect(await status({ impersonation: true })).toBe(403);
    expect(await status({ remaining_uses: 1 })).toBe(403);
    expect(await status({ expires_at: "2098-01-01T00:00:01Z" })).toBe(403);
    expect(await status({ ...REDELEGABLE, redelegation_count: 2 })).toBe(403);
    await server.grant(alice.id, bob.projectId, "member");
    expect(await status({ project_id: bob.projectId })).toBe(404);
    const { body } = await pass(id, bob, carol);
    expect(body.trust).toMatchObject({ expires_at: "2098-01-01T00:00:00.000000Z", redelegation_count: 0 });
    expect(await status({ expires_at: "2097-12-31T00:00:00Z" })).toBe(201);
  });

  it("may add an expiry to a trust that has none: redelegated-trusts-may-expire", async () => {
    const id = await server.trust(alice, bob, REDELEGABLE);
    expect(await pass(id, bob, carol, { expires_at: "2097-01-01T00:00:00Z" })).toMatchObject({ status: 201 });
  });

  it("is allowed by the trust: neither with a count of 0, nor above the service's maximum, nor with uses", async () => {
    expect(await pass(await server.trust(alice, bob), bob, carol)).toMatchObject({ status: 403 });
    const none = await server.trust(alice, bob, { ...REDELEGABLE, redelegation_count: 0 });
    expect(await pass(none, bob, carol)).toMatchObject({ status: 403 });
    const above = { ...REDELEGABLE, redelegation_count: 3 };
    expect(await server.attempt(alice, bob, above)).toMatchObject({ status: 403 });
    expect(await server.attempt(alice, bob, { ...REDELEGABLE, remaining_uses: 1 })).toMatchObject({
      status: 400,
    });
  });

  it("ends with every link: its deletion, its roles, and a disabled agent", async () => {
    const first = await server.trust(alice, bob, REDELEGABLE);
    const second = (await pass(first, bob, carol, REDELEGABLE)).body.trust.id as string;
    const third = (await pass(second, carol, dora)).body.trust.id as string;
    const logIn = async () => (await server.logIn(dora, third)).status;
    const enable = (enabled: boolean) =>
      server.ask("PATCH", `/v3/users/${bob.id}`, { body: { user: { enabled } } });
    const { token } = await server.logIn(dora, third);
    await enable(false);
    expect([await server.validated(token), await logIn()]).toEqual([404, 403]);
    await enable(true);
    expect(await logIn()).toBe(201);
    await server.grant(alice.id, alice.projectId, "member", "DELETE");
    expect(await logIn()).toBe(403);
    await server.grant(alice.id, alice.projectId, "member");
    const { token: last } = await server.logIn(dora, third);
    expect(await server.validated(last)).toBe(200);
    expect(await server.ask("DELETE", `${TRUSTS}/${second}`)).toMatchObject({ status: 204 });
    expect([await server.validated(last), await logIn()]).toEqual([404, 401]);
    expect(await server.ask("GET", `${TRUSTS}/${third}`)).toMatchObject({ status: 404 });
    expect(await server.ask("GET", `${TRUSTS}/${first}`)).toMatchObject({ status: 200 });
  });

  it("ends with the trustee who passed it on", async () => {
    const agent = await server.member([]);
    const first = await server.trust(alice, bob, REDELEGABLE);
    const second = (await pass(first, bob, agent, REDELEGABLE)).body.trust.id as string;
    const third = (await pass(second, agent, dora)).body.trust.id as string;
    await server.ask("DELETE", `/v3/users/${agent.id}`);
    for (const id of [second, third])
      expect(await server.ask("GET", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
    expect(await server.ask("GET", `${TRUSTS}/${first}`)).toMatchObject({ status: 200 });
  });

  /** Those of some trusts that have events of their deletion, in order. */
  const deletedOf = async (trusts: readonly string[]) =>
    (await readFile(eventsFile, "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line.includes('"identity.OS-TRUST:trust.deleted"'))
      .map((line) => (JSON.parse(line) as { resource: { id: string } }).resource.id)
      .filter((id) => trusts.includes(id));

  it("is told to have ended for each link, the last of a chain first, as in Keystone", async () => {
    const first = await server.trust(alice, bob, REDELEGABLE);
    const second = (await pass(first, bob, carol, REDELEGABLE)).body.trust.id as string;
    const third = (await pass(second, carol, dora)).body.trust.id as string;
    const other = (await pass(first, bob, dora)).body.trust.id as string;
    expect(await server.ask("DELETE", `${TRUSTS}/${first}`)).toMatchObject({ status: 204 });
    const deleted = () => deletedOf([first, second, third, other]);
    await expect.poll(deleted, { timeout: 5000 }).toHaveLength(4);
    const ids = await deleted();
    expect([ids[0], ids[3]]).toEqual([third, first]);
    expect(new Set(ids.slice(1, 3))).toEqual(new Set([second, other]));
  });

  it("is deleted by many at once, and told of once", async () => {
    const all: string[] = [];
    for (let trial = 0; trial < 10; trial++) {
      const first = await server.trust(alice, bob, REDELEGABLE);
      const second = (await pass(first, bob, carol, REDELEGABLE)).body.trust.id as string;
      const third = (await pass(second, carol, dora)).body.trust.id as string;
      all.push(first, second, third);
      const deleted = [first, second, third].map((id) => server.ask("DELETE", `${TRUSTS}/${id}`));
      const statuses = (await Promise.all(deleted)).map(({ status }) => status);
      expect(statuses[0]).toBe(204);
      expect(statuses.every((status) => status === 204 || status === 404)).toBe(true);
    }
    await expect.poll(async () => (await deletedOf(all)).length, { timeout: 5000 }).toBe(all.length);
    expect(new Set(await deletedOf(all)).size).toBe(all.length);
  });

  it("is off by default", async () => {
    const other = await trustServer(databases);
    try {
      const [from, to] = [await other.member(), await other.member()];
      expect(await other.attempt(from, to, REDELEGABLE)).toMatchObject({ status: 403 });
      const { token } = await other.logIn(to, await other.trust(from, to));
      const passed = await other.attempt({ ...to, projectId: from.projectId }, to, {}, token);
      expect(passed).toMatchObject({ status: 403 });
    } finally {
      await other.close();
    }
  });
});
