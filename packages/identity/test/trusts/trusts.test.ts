import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import type { Member } from "../application-credentials/application-credential-server.js";
import { trustServer, TRUSTS, type TrustServer } from "./trust-server.js";

let server: TrustServer;
let alice: Member;
let bob: Member;
let carol: Member;
beforeAll(async () => {
  server = await trustServer(databases);
  alice = await server.member(["member"]);
  bob = await server.member(["reader"]);
  carol = await server.member(["reader"]);
});
afterAll(() => server.close());

describe(`trusts on ${databases.name}`, () => {
  it("are shown with their roles, to trustor and trustee", async () => {
    const { status, body } = await server.attempt(alice, bob, {
      expires_at: "2099-12-31T23:59:59Z",
      note: 5,
    });
    expect(status).toBe(201);
    const { trust } = body;
    const self = expect.stringMatching(new RegExp(`${TRUSTS}/${trust.id}$`)) as string;
    expect(trust).toEqual({
      note: 5,
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      trustor_user_id: alice.id,
      trustee_user_id: bob.id,
      project_id: alice.projectId,
      impersonation: false,
      expires_at: "2099-12-31T23:59:59.000000Z",
      remaining_uses: null,
      redelegation_count: 0,
      redelegated_trust_id: null,
      deleted_at: null,
      roles: [
        expect.objectContaining({ id: await server.roleId("member"), name: "member", domain_id: null }),
      ],
      roles_links: { self: expect.stringMatching(`/v3/${trust.id}/roles$`), next: null, previous: null },
      links: { self },
    });
    for (const { token } of [alice, bob])
      expect((await server.send("GET", `${TRUSTS}/${trust.id}`, { token })).body).toEqual({ trust });
    const { roles, roles_links: _, ...listed } = trust;
    const asTrustee = await server.send("GET", `${TRUSTS}?trustee_user_id=${bob.id}`, { token: bob.token });
    expect(asTrustee.body.trusts).toEqual([listed]);
    const list = await server.send("GET", `${TRUSTS}/${trust.id}/roles`, { token: bob.token });
    expect(list.body).toEqual({ roles, links: trust.roles_links });
    const one = await server.send("GET", `${TRUSTS}/${trust.id}/roles/${roles[0].id}`, { token: bob.token });
    expect(one.body).toEqual({ role: roles[0] });
    const other = `${TRUSTS}/${trust.id}/roles/${await server.roleId("admin")}`;
    expect(await server.send("GET", other, { token: bob.token })).toMatchObject({ status: 404 });
  });

  it("are seen by their parties and administrators alone, and deleted by the trustor", async () => {
    const id = await server.trust(alice, bob);
    const status = async (token: string, method = "GET", url = `${TRUSTS}/${id}`) =>
      (await server.send(method, url, { token })).status;
    expect(await status(carol.token)).toBe(403);
    expect(await status(carol.token, "GET", `${TRUSTS}/${id}/roles`)).toBe(403);
    expect(await status(carol.token, "GET", TRUSTS)).toBe(403);
    expect(await status(carol.token, "GET", `${TRUSTS}?trustor_user_id=${alice.id}`)).toBe(403);
    expect(await status(carol.token, "GET", `${TRUSTS}?trustor_user_id__contains=a`)).toBe(403);
    expect(await status(carol.token, "DELETE")).toBe(403);
    expect(await status(bob.token, "DELETE")).toBe(403);
    expect((await server.ask("GET", TRUSTS)).body.trusts).toContainEqual(expect.objectContaining({ id }));
    expect(await status(alice.token, "DELETE")).toBe(204);
    for (const token of [alice.token, carol.token]) expect(await status(token)).toBe(404);
    expect(await server.ask("DELETE", `${TRUSTS}/${id}`)).toMatchObject({ status: 404 });
    expect((await server.ask("GET", TRUSTS)).body.trusts).not.toContainEqual(expect.objectContaining({ id }));
  });

  it("are created by the trustor, for roles that the trustor has", async () => {
    const status = async (attributes: object, token = alice.token) =>
      (await server.attempt(alice, bob, attributes, token)).status;
    expect(await status({}, carol.token)).toBe(403);
    expect(
      (await server.ask("POST", TRUSTS, { body: { trust: { trustor_user_id: alice.id } } })).status,
    ).toBe(403);
    // A body without a trustor is not for another user: it is rejected by its schema.
    for (const trust of [{}, null, { trustor_user_id: 5 }])
      expect((await server.send("POST", TRUSTS, { token: carol.token, body: { trust } })).status).toBe(400);
    expect((await server.ask("POST", TRUSTS, { body: { trust: {} } })).status).toBe(403);
    expect(await status({ roles: [{ name: "reader" }] })).toBe(201);
    expect(await status({ roles: [{ name: "admin" }] })).toBe(404);
    expect(await status({ roles: [{ name: "unknown" }] })).toBe(404);
    expect(await status({ roles: [{ id: "f".repeat(32) }] })).toBe(404);
    expect(await status({ roles: [] })).toBe(403);
    expect(await status({ project_id: bob.projectId })).toBe(404);
    expect(await status({ project_id: "f".repeat(32) })).toBe(404);
    expect(await status({ trustee_user_id: "f".repeat(32) })).toBe(404);
  });

  it("may have no project, and no roles then: trusts-without-a-project", async () => {
    for (const project_id of [null, "", undefined]) {
      const { status, body } = await server.attempt(alice, bob, { project_id, roles: [] });
      expect([status, body.trust.project_id, body.trust.roles]).toEqual([201, null, []]);
    }
    const withRole = await server.attempt(alice, bob, { project_id: null, roles: [{ name: "member" }] });
    expect(withRole).toMatchObject({
      status: 404,
      body: { error: { message: `Could not find role: ${await server.roleId("member")}.` } },
    });
  });

  it("count a role that is given twice once: trusted-roles-are-given-once", async () => {
    const roles = [{ name: "member" }, { id: await server.roleId("member") }];
    const { body } = await server.attempt(alice, bob, { roles });
    expect(body.trust.roles).toEqual([expect.objectContaining({ name: "member" })]);
  });

  it.each([
    ["an expiry that is past", { expires_at: "2020-01-01T00:00:00Z" }],
    ["an expiry with an offset", { expires_at: "2099-01-01T00:00:00+01:00" }],
    ["no uses", { remaining_uses: 0 }],
    ["more uses than the database can count", { remaining_uses: 2 ** 31 }],
    ["impersonation that is text", { impersonation: "true" }],
    ["a role of an id and a name", { roles: [{ id: "a", name: "b" }] }],
  ])("can't have %s", async (_, attributes) => {
    expect(await server.attempt(alice, bob, attributes)).toMatchObject({ status: 400 });
  });

  it("ignore members that the service sets itself", async () => {
    const own = { id: "mine", deleted_at: "2020", redelegated_trust_id: "other", expires_at_int: 5 };
    const { body } = await server.attempt(alice, bob, own);
    expect(body.trust).toMatchObject({ deleted_at: null, redelegated_trust_id: null });
    expect(body.trust.id).not.toBe("mine");
    expect(body.trust).not.toHaveProperty("expires_at_int");
  });

  it("are deleted a while after they expired or were used up, when their trustor creates another", async () => {
    const trustor = await server.member();
    const listed = async () => {
      const { token } = await server.byPassword({ id: trustor.id }, { project: { id: trustor.projectId } });
      const { body } = await server.send("GET", `${TRUSTS}?trustor_user_id=${trustor.id}`, { token });
      return { token, ids: body.trusts.map(({ id }: { id: string }) => id).toSorted() as string[] };
    };
    const expires_at = new Date(server.time.now + 60_000).toISOString();
    const past = [
      await server.trust(trustor, bob, { expires_at }),
      await server.trust(trustor, bob, { remaining_uses: 1 }),
    ];
    const kept = await server.trust(trustor, bob, { remaining_uses: 1 });
    expect((await server.logIn(bob, past[1] ?? "")).status).toBe(201);
    const { now } = server.time;
    // The lifetime of a token, and the time for which expired ones can be validated.
    for (const [afterHours, gone] of [
      [49, false],
      [49.1, true],
    ] as const) {
      server.time.now = now + afterHours * 3_600_000;
      const { token } = await listed();
      const newest = await server.trust(trustor, bob, {}, token);
      const { ids } = await listed();
      expect(ids).toEqual(expect.arrayContaining([kept, newest]));
      expect(past.map((id) => ids.includes(id))).toEqual([!gone, !gone]);
    }
    server.time.now = now;
  });

  it("are unique if they expire at the same moment, until one is deleted", async () => {
    const expiring = { expires_at: "2098-01-01T00:00:00Z" };
    const id = await server.trust(alice, bob, expiring);
    expect(await server.attempt(alice, bob, expiring)).toMatchObject({ status: 409 });
    await server.ask("DELETE", `${TRUSTS}/${id}`);
    expect(await server.attempt(alice, bob, expiring)).toMatchObject({ status: 201 });
  });

  it("can't be managed with a token of an application credential: CVE-2026-43000", async () => {
    const id = await server.trust(alice, bob);
    const { body } = await server.make(alice, { name: "free", unrestricted: true });
    const { token } = await server.authenticate({
      methods: ["application_credential"],
      application_credential: body.application_credential,
    });
    expect(token).not.toBe("");
    expect(await server.attempt(alice, bob, {}, token)).toMatchObject({ status: 403 });
    for (const url of [
      TRUSTS,
      `${TRUSTS}?trustor_user_id=${alice.id}`,
      `${TRUSTS}/${id}`,
      `${TRUSTS}/${id}/roles`,
    ])
      expect([url, (await server.send("GET", url, { token })).status]).toEqual([url, 403]);
    expect(await server.send("DELETE", `${TRUSTS}/${id}`, { token })).toMatchObject({ status: 403 });
  });
});
