import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import {
  credentialServer,
  SYSTEM,
  type CredentialServer,
  type Member,
} from "./application-credential-server.js";

let server: CredentialServer;
let alice: Member;
let bob: Member;
beforeAll(async () => {
  server = await credentialServer(databases, { IDENTITY_APPLICATION_CREDENTIAL_LIMIT: "8" });
  alice = await server.member(["member"]);
  bob = await server.member(["reader"]);
});
afterAll(() => server.close());

const pathOf = ({ id }: Pick<Member, "id">) => `/v3/users/${id}/application_credentials`;
const messageOf = (body: { readonly error: { readonly message: string } }) => body.error.message;

describe(`application credentials on ${databases.name}`, () => {
  it("have the roles of the token with those that they imply, and show their secret once", async () => {
    const { status, body } = await server.make(alice, { name: "plain" });
    expect(status).toBe(201);
    const { application_credential: made } = body;
    expect(made.secret).toMatch(/^[A-Za-z0-9_-]{86}$/);
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: "plain",
      description: null,
      user_id: alice.id,
      project_id: alice.projectId,
      system: null,
      expires_at: null,
      unrestricted: null,
      roles: ["member", "reader"].map((name) => ({
        id: expect.any(String),
        name,
        domain_id: null,
        description: null,
        options: { immutable: true },
      })),
      secret: made.secret,
      links: { self: expect.stringMatching(`/v3/application_credentials/${made.id}$`) },
    });
    const { secret: _, ...shown } = made;
    const { body: read } = await server.send("GET", `${pathOf(alice)}/${made.id}`, { token: alice.token });
    expect(read).toEqual({ application_credential: shown });
    const { body: list } = await server.send("GET", `${pathOf(alice)}?name=plain`, { token: alice.token });
    expect(list.application_credentials).toEqual([shown]);
  });

  it("roles-are-given-once: have a chosen secret, and some of the roles", async () => {
    const roles = [{ name: "reader" }, { id: await server.roleId("reader") }];
    const { body } = await server.make(alice, { name: "narrow", secret: "own", roles });
    expect(body.application_credential).toMatchObject({ secret: "own", roles: [{ name: "reader" }] });
  });

  it.each([
    [{ roles: [{ name: "admin" }] }, 400, /unassigned role$/],
    [{ roles: [{ id: "ffffffffffffffffffffffffffffffff" }] }, 400, /unassigned role$/],
    [{ roles: [{ name: "nope" }] }, 404, /^Role nope is not defined$/],
    [{ roles: [{ id: "a", name: "b" }] }, 400, /has too many properties$/],
    [{ roles: [{}] }, 400, /does not have enough properties$/],
    [{ expires_at: "2026-11-21T12:00:00" }, 400, /^The 'expires_at' must not be before now\./],
    [{ expires_at: "2099-12-31T23:59:59+02:00" }, 400, /^Timestamp not in expected format\./],
    [{ expires_at: "2099-02-31T00:00:00Z" }, 400, /^Timestamp not in expected format\./],
    [{ expires_at: "" }, 400, /^Timestamp not in expected format\./],
    [{ secret: "ü".repeat(2049) }, 400, /at most 4096 bytes/],
    [{ secret: 5 }, 400, /field\/attribute secret/],
    [{ user_id: "u" }, 400, /Additional properties are not allowed/],
    [{ name: "  " }, 400, /field\/attribute name/],
    [{ access_rules: [{ path: "/x", method: "GET" }] }, 400, /An access rule has the id/],
    [{ access_rules: [{ id: "ffffffffffffffffffffffffffffffff" }] }, 400, /An access rule has the id/],
    [{ access_rules: [{ path: "x", method: "GET", service: "a" }] }, 400, /does not match/],
    [{ access_rules: [{ path: "/x", method: "get", service: "a" }] }, 400, /is not one of/],
    [
      { access_rules: [{ path: `/${"p".repeat(128)}`, method: "GET", service: "a" }] },
      400,
      /^String length exceeded/,
    ],
  ])("are not created of %j: %i", async (attributes, status, message) => {
    const answer = await server.make(alice, { name: "wrong", ...attributes });
    expect([answer.status, messageOf(answer.body)]).toEqual([status, expect.stringMatching(message)]);
  });

  it.each([
    ["2099-12-31 23:59:59", "2099-12-31T23:59:59.000000"],
    ["2026-11-21T12:00:00.501Z", "2026-11-21T12:00:00.501000"],
    ["9999-12-31T23:59:59.123456", "9999-12-31T23:59:59.123456"],
  ])("expire at %s", async (expiry, shown) => {
    const { body } = await server.make(bob, { name: expiry, expires_at: expiry });
    expect(body.application_credential.expires_at).toBe(shown);
  });

  it("have names of their own for each user, in upper and lower case", async () => {
    const carol = await server.member();
    expect((await server.make(carol)).status).toBe(201);
    expect((await server.make(carol, { name: "ROBOT" })).status).toBe(201);
    const { status, body } = await server.make(carol);
    expect([status, messageOf(body)]).toEqual([
      409,
      "Conflict occurred attempting to store application_credential - Duplicate entry found with name robot.",
    ]);
  });

  it("are at most as many as a user may have", async () => {
    const dave = await server.member();
    for (let count = 0; count < 8; count++)
      expect((await server.make(dave, { name: `robot${count}`, secret: "s" })).status).toBe(201);
    const { status, body } = await server.make(dave, { secret: "s" });
    expect([status, messageOf(body)]).toEqual([
      403,
      "Unable to create additional application credentials, maximum of 8 already exceeded for user.",
    ]);
  });

  it("application-credentials-have-a-project: are not created with a token without a project", async () => {
    const unscoped = (await server.byPassword({ id: alice.id }, "unscoped")).token;
    const { status, body } = await server.make(alice, { name: "nowhere" }, unscoped);
    expect([status, messageOf(body)]).toEqual([
      403,
      "An application credential is created with a token scoped to its project.",
    ]);
  });

  it("are created by their user alone, not even by an administrator or with a token for the system", async () => {
    expect((await server.make(alice, { name: "of another" }, bob.token)).status).toBe(403);
    expect(
      (await server.ask("POST", pathOf(alice), { body: { application_credential: { name: "a" } } })).status,
    ).toBe(403);
    const eve = await server.member();
    await server.ask("PUT", `/v3/system/users/${eve.id}/roles/${await server.roleId("reader")}`);
    const system = (await server.byPassword({ id: eve.id }, SYSTEM)).token;
    expect((await server.make(eve, {}, system)).status).toBe(403);
  });

  describe("of a user", () => {
    let id: string;
    beforeAll(async () => {
      id = (await server.make(bob, { name: "private" })).body.application_credential.id as string;
    });

    it("are for that user, whatever the path names (CVE-2026-42999)", async () => {
      const get = async (user: Member, token: string) =>
        (await server.send("GET", `${pathOf(user)}/${id}`, { token })).status;
      expect(await get(bob, bob.token)).toBe(200);
      expect(await get(alice, bob.token)).toBe(200);
      expect(await get(alice, alice.token)).toBe(403);
      expect(await get(bob, alice.token)).toBe(403);
      const lists = `${pathOf(bob)}?user_id=${alice.id}&user.id=${alice.id}&target.user.id=${alice.id}`;
      expect((await server.send("GET", lists, { token: alice.token })).status).toBe(403);
      const body = { user: { id: alice.id }, target: { user: { id: alice.id } } };
      expect((await server.send("DELETE", `${pathOf(bob)}/${id}`, { token: alice.token, body })).status).toBe(
        403,
      );
      expect((await server.ask("GET", `${pathOf(alice)}/${id}`)).status).toBe(200);
    });

    it("that don't exist are 404 for the user in the path and administrators, and 403 for others", async () => {
      const url = `${pathOf(bob)}/ffffffffffffffffffffffffffffffff`;
      for (const method of ["GET", "DELETE"]) {
        expect((await server.send(method, url, { token: bob.token })).status).toBe(404);
        expect((await server.send(method, url, { token: alice.token })).status).toBe(403);
        expect((await server.ask(method, url)).status).toBe(404);
      }
      expect((await server.ask("GET", pathOf({ id: "f".repeat(32) }))).body.application_credentials).toEqual(
        [],
      );
    });

    it("are neither changed nor replaced", async () => {
      for (const method of ["PUT", "PATCH", "POST"])
        expect((await server.ask(method, `${pathOf(bob)}/${id}`, { body: {} })).status).toBe(405);
      for (const method of ["PUT", "PATCH", "DELETE"])
        expect((await server.ask(method, pathOf(bob), { body: {} })).status).toBe(405);
    });

    it("are deleted by an administrator too", async () => {
      expect((await server.ask("DELETE", `${pathOf(bob)}/${id}`)).status).toBe(204);
      expect((await server.ask("GET", `${pathOf(bob)}/${id}`)).status).toBe(404);
    });
  });
});

describe(`access rules on ${databases.name}`, () => {
  const rule = (path: string) => ({ service: "compute", method: "GET", path });
  const rules = ({ id }: Pick<Member, "id">) => `/v3/users/${id}/access_rules`;
  let frank: Member;
  let grace: Member;
  let ruleId: string;
  beforeAll(async () => {
    frank = await server.member();
    grace = await server.member();
    const { body } = await server.make(frank, { access_rules: [rule("/v2.1/servers")] });
    ruleId = body.application_credential.access_rules[0].id as string;
  });

  it("are shared by the user's credentials: by their id, or by equal members", async () => {
    for (const [name, given] of [
      ["again", rule("/v2.1/servers")],
      ["by id", { id: ruleId }],
      ["by id, with others", { id: ruleId, ...rule("/other") }],
    ] as const) {
      const { body } = await server.make(frank, { name, access_rules: [given] });
      expect(body.application_credential.access_rules).toEqual([{ id: ruleId, ...rule("/v2.1/servers") }]);
    }
    const { body } = await server.send("GET", `${rules(frank)}?service=compute&method=GET`, {
      token: frank.token,
    });
    expect(body.access_rules).toEqual([
      {
        id: ruleId,
        ...rule("/v2.1/servers"),
        links: { self: expect.stringMatching(`/v3/access_rules/${ruleId}$`) },
      },
    ]);
    const twice = await server.make(frank, { name: "twice", access_rules: [rule("/dup"), rule("/dup")] });
    expect(twice.status).toBe(409);
    expect(
      (await server.send("GET", `${rules(frank)}?path=/dup`, { token: frank.token })).body.access_rules,
    ).toEqual([]);
  });

  it("access-rules-have-an-owner: are neither read, deleted nor used by another user (CVE-2026-42999)", async () => {
    for (const method of ["GET", "DELETE"]) {
      const asGrace = { token: grace.token };
      expect((await server.send(method, `${rules(grace)}/${ruleId}`, asGrace)).status).toBe(404);
      expect((await server.send(method, `${rules(frank)}/${ruleId}`, asGrace)).status).toBe(403);
    }
    expect((await server.make(grace, { access_rules: [{ id: ruleId }] })).status).toBe(400);
    const { body } = await server.make(grace, { access_rules: [{ id: ruleId, ...rule("/own") }] });
    expect(body.application_credential.access_rules).toEqual([
      { id: expect.not.stringContaining(ruleId), ...rule("/own") },
    ]);
  });

  it("are read by their user and readers of the system, and deleted by the user once no credential has them", async () => {
    const one = `${rules(frank)}/${ruleId}`;
    const padmin = await server.member(["admin"]);
    for (const url of [rules(frank), one]) {
      expect((await server.send("GET", url, { token: frank.token })).status).toBe(200);
      expect((await server.ask("GET", url)).status).toBe(200);
      // An administrator of a project alone.
      expect((await server.send("GET", url, { token: padmin.token })).status).toBe(403);
    }
    expect((await server.send("DELETE", one, { token: padmin.token })).status).toBe(403);
    const inUse = await server.send("DELETE", one, { token: frank.token });
    expect([inUse.status, messageOf(inUse.body)]).toEqual([403, "May not delete access rule in use"]);
    const { body } = await server.send("GET", pathOf(frank), { token: frank.token });
    for (const { id } of body.application_credentials)
      await server.send("DELETE", `${pathOf(frank)}/${id}`, { token: frank.token });
    expect((await server.send("GET", one, { token: frank.token })).status).toBe(200);
    expect((await server.send("DELETE", one, { token: frank.token })).status).toBe(204);
    expect((await server.send("GET", one, { token: frank.token })).status).toBe(404);
  });
});
