import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import type { Member } from "../application-credentials/application-credential-server.js";
import { trustServer, TRUSTS, type TrustServer } from "./trust-server.js";

let server: TrustServer;
beforeAll(async () => {
  server = await trustServer(databases);
});
afterAll(() => server.close());

/** A trustor with the roles member and service, and a trustee. */
async function pair(): Promise<[Member, Member]> {
  return [await server.member(["member", "service"]), await server.member([])];
}

const disable = (kind: string, id: string, enabled: boolean) =>
  server.ask("PATCH", `/v3/${kind}s/${id}`, { body: { [kind]: { enabled } } });

describe(`a login by trust on ${databases.name}`, () => {
  it("gives the trustee the roles with those that they imply, on the project", async () => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob);
    const { status, body, token } = await server.logIn(bob, id);
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: ["password"],
      user: { id: bob.id },
      project: { id: alice.projectId },
      "OS-TRUST:trust": {
        id,
        impersonation: false,
        trustor_user: { id: alice.id },
        trustee_user: { id: bob.id },
      },
    });
    expect(body.token).not.toHaveProperty("is_domain");
    expect(body.token.roles).toEqual(
      ["member", "reader"].map((name) => ({
        id: expect.any(String),
        name,
        domain_id: null,
        description: null,
        options: { immutable: true },
      })),
    );
    const { body: validated } = await server.ask("GET", "/v3/auth/tokens", {
      headers: { "x-subject-token": token },
    });
    expect(validated).toEqual(body);
  });

  it("impersonates the trustor, whose token validates itself: trustors-tokens-validate-themselves", async () => {
    const [alice, bob] = await pair();
    const { body, token } = await server.logIn(bob, await server.trust(alice, bob, { impersonation: true }));
    expect(body.token.user.id).toBe(alice.id);
    const own = await server.send("GET", "/v3/auth/tokens", { token, headers: { "x-subject-token": token } });
    expect(own.status).toBe(200);
    expect(await server.send("GET", `/v3/users/${alice.id}`, { token })).toMatchObject({ status: 200 });
    expect(await server.send("GET", `/v3/users/${bob.id}`, { token })).toMatchObject({ status: 403 });
  });

  it("is for the trustee alone, by a token too", async () => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob);
    expect(await server.logIn(alice, id)).toMatchObject({ status: 403 });
    expect(await server.logIn(await server.member(), id)).toMatchObject({ status: 403 });
    expect(await server.logIn(bob, "f".repeat(32))).toMatchObject({ status: 401 });
    const { token: unscoped } = await server.byPassword({ id: bob.id });
    const scope = { "OS-TRUST:trust": { id } };
    const byToken = await server.authenticate({ methods: ["token"], token: { id: unscoped } }, scope);
    expect(byToken).toMatchObject({ status: 201 });
    for (const wrong of [
      { "OS-TRUST:trust": {} },
      { "OS-TRUST:trust": null },
      { ...scope, system: { all: true } },
    ])
      expect(await server.byPassword({ id: bob.id }, wrong)).toMatchObject({ status: 400 });
  });

  it("gives tokens that can't be exchanged, nor used for application credentials", async () => {
    const [alice, bob] = await pair();
    for (const impersonation of [true, false]) {
      const id = await server.trust(alice, bob, { impersonation });
      const { token } = await server.logIn(bob, id);
      const bearer = impersonation ? alice : bob;
      for (const scope of [undefined, { project: { id: alice.projectId } }, { "OS-TRUST:trust": { id } }])
        expect(await server.authenticate({ methods: ["token"], token: { id: token } }, scope)).toMatchObject({
          status: 403,
        });
      expect(await server.make(bearer, {}, token)).toMatchObject({ status: 403 });
      // CVE-2026-90460: keys and secrets that outlive the trust.
      const credential = {
        user_id: bearer.id,
        project_id: alice.projectId,
        type: "totp",
        blob: "A".repeat(26),
      };
      const keys = `/v3/users/${bearer.id}/credentials/OS-EC2`;
      for (const [method, url, body] of [
        ["POST", "/v3/credentials", { credential }],
        ["POST", keys, { tenant_id: alice.projectId }],
        ["GET", keys, undefined],
      ] as const)
        expect(await server.send(method, url, { token, ...(body && { body }) })).toMatchObject({
          status: 403,
        });
      expect(await server.send("GET", "/v3/credentials", { token })).toMatchObject({
        status: 200,
        body: { credentials: [] },
      });
      for (const kind of ["application_credentials", "access_rules"])
        expect(await server.send("GET", `/v3/users/${bearer.id}/${kind}`, { token })).toMatchObject({
          status: 403,
        });
    }
  });

  it("ends with the trust: at its expiry and its deletion", async () => {
    const [alice, bob] = await pair();
    const end = new Date(server.time.now + 600_000).toISOString();
    const id = await server.trust(alice, bob, { expires_at: end.replace(/\.\d+/, "") });
    const { body, token } = await server.logIn(bob, id);
    expect(Date.parse(body.token.expires_at)).toBeLessThanOrEqual(Date.parse(end));
    server.time.now += 600_000;
    expect(await server.validated(token)).toBe(404);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 401 });
    expect(await server.ask("GET", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
    const other = await server.trust(alice, bob, {}, (await server.byPassword({ id: alice.id })).token);
    const { token: second } = await server.logIn(bob, other);
    expect(await server.validated(second)).toBe(200);
    await server.ask("DELETE", `${TRUSTS}/${other}`);
    expect(await server.validated(second)).toBe(404);
    expect(await server.used(second)).toBe(401);
    expect(await server.logIn(bob, other)).toMatchObject({ status: 401 });
  });

  it("takes one of the remaining uses; with the last one the trust and its tokens end", async () => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob, { remaining_uses: 2 });
    const { token: first } = await server.logIn(bob, id);
    expect(await server.validated(first)).toBe(200);
    // A failed login takes none.
    expect(await server.logIn(alice, id)).toMatchObject({ status: 403 });
    expect((await server.ask("GET", `${TRUSTS}/${id}`)).body.trust.remaining_uses).toBe(1);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 201 });
    expect(await server.validated(first)).toBe(404);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 401 });
    expect(await server.ask("GET", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
    const { body } = await server.ask("GET", `${TRUSTS}?trustee_user_id=${bob.id}`);
    expect(body.trusts).toEqual([expect.objectContaining({ id, remaining_uses: 0 })]);
  });

  it("has what a role of a domain in the trust implies, and not that role", async () => {
    const [alice, bob] = await pair();
    const dr = await server.create("role", { name: "designer", domain_id: "default" });
    const implied = `/v3/roles/${dr}/implies/${await server.roleId("reader")}`;
    expect(await server.ask("PUT", implied)).toMatchObject({ status: 201 });
    expect(await server.attempt(alice, bob, { roles: [{ id: dr }] })).toMatchObject({ status: 404 });
    await server.ask("PUT", `/v3/projects/${alice.projectId}/users/${alice.id}/roles/${dr}`);
    // By name too: no other role has this one.
    for (const role of [{ id: dr }, { name: "designer" }]) {
      const { body } = await server.logIn(bob, await server.trust(alice, bob, { roles: [role] }));
      expect(body.token.roles.map(({ name }: { name: string }) => name)).toEqual(["reader"]);
    }
    const id = await server.trust(alice, bob, { roles: [{ id: dr }] });
    await server.ask("DELETE", `/v3/projects/${alice.projectId}/users/${alice.id}/roles/${dr}`);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 403 });
  });

  it("is forbidden while the trustor lacks any of the roles, also by inheritance", async () => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob, { roles: [{ name: "reader" }, { name: "service" }] });
    const { token } = await server.logIn(bob, id);
    await server.grant(alice.id, alice.projectId, "service", "DELETE");
    // Of another user's token: Keystone answers 403.
    expect(await server.validated(token)).toBe(404);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 403 });
    const inherited = `/v3/OS-INHERIT/domains/default/users/${alice.id}/roles/${await server.roleId("service")}/inherited_to_projects`;
    expect(await server.ask("PUT", inherited)).toMatchObject({ status: 204 });
    const again = await server.logIn(bob, id);
    expect(again.body.token.roles.map(({ name }: { name: string }) => name)).toEqual(["reader", "service"]);
  });

  it("is not widened by roles of the trustee", async () => {
    const [alice, bob] = await pair();
    await server.grant(bob.id, alice.projectId, "admin");
    const { body } = await server.logIn(bob, await server.trust(alice, bob, { roles: [{ name: "reader" }] }));
    expect(body.token.roles.map(({ name }: { name: string }) => name)).toEqual(["reader"]);
  });

  it("ends with what trustor, trustee and project end with", async () => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob);
    const statuses = async (token: string) => [
      await server.validated(token),
      (await server.logIn(bob, id)).status,
    ];
    let { token } = await server.logIn(bob, id);
    for (const [kind, of, login] of [
      ["user", alice.id, 403],
      ["user", bob.id, 401],
      ["project", alice.projectId, 401],
    ] as const) {
      await disable(kind, of, false);
      expect([kind, ...(await statuses(token))]).toEqual([kind, 404, login]);
      await disable(kind, of, true);
      ({ token } = await server.logIn(bob, id));
      expect(await server.validated(token)).toBe(200);
    }
    // The trustor's new password revokes the trustee's tokens too.
    await server.ask("PATCH", `/v3/users/${alice.id}`, { body: { user: { password: "another password" } } });
    expect(await statuses(token)).toEqual([404, 201]);
    await server.ask("DELETE", `/v3/projects/${alice.projectId}`);
    expect(await statuses(token)).toEqual([404, 401]);
    expect(await server.ask("GET", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
  });

  it.each(["trustor", "trustee"] as const)("and the trust end with the %s", async (party) => {
    const [alice, bob] = await pair();
    const id = await server.trust(alice, bob);
    const { token } = await server.logIn(bob, id);
    await server.ask("DELETE", `/v3/users/${party === "trustor" ? alice.id : bob.id}`);
    expect(await server.validated(token)).toBe(404);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 401 });
    expect(await server.ask("GET", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
  });

  it("is forbidden after one of the roles was deleted", async () => {
    const [alice, bob] = await pair();
    const role = await server.create("role", { name: "passing" });
    await server.grant(alice.id, alice.projectId, "passing");
    const id = await server.trust(alice, bob, { roles: [{ name: "member" }, { id: role }] });
    const { token } = await server.logIn(bob, id);
    await server.ask("DELETE", `/v3/roles/${role}`);
    expect(await server.validated(token)).toBe(404);
    expect(await server.logIn(bob, id)).toMatchObject({ status: 403 });
  });

  it("with impersonation deletes its own trust, and no other of the trustor: trusts-delete-themselves", async () => {
    const [alice, bob] = await pair();
    const own = await server.trust(alice, bob, { impersonation: true });
    const other = await server.trust(alice, bob);
    const { token } = await server.logIn(bob, own);
    expect(await server.send("DELETE", `${TRUSTS}/${other}`, { token })).toMatchObject({ status: 403 });
    expect(await server.send("DELETE", `${TRUSTS}/${own}`, { token })).toMatchObject({ status: 204 });
    expect(await server.used(token)).toBe(401);
  });
});
