import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  credentialServer,
  METHOD,
  PASSWORD,
  type CredentialServer,
  type MadeCredential,
  type Member,
} from "../application-credentials/application-credential-server.js";
import { databases } from "../databases.js";

let server: CredentialServer;
beforeAll(async () => {
  server = await credentialServer(databases);
});
afterAll(() => server.close());

async function made(user: Member, attributes: object = {}): Promise<MadeCredential> {
  return (await server.make(user, attributes)).body.application_credential as MadeCredential;
}

describe(`login by application credential on ${databases.name}`, () => {
  let alice: Member;
  let robot: MadeCredential;
  beforeAll(async () => {
    alice = await server.member();
    robot = await made(alice);
  });
  const by = (section: object, more: object = {}) =>
    server.authenticate({ methods: [METHOD, ...Object.keys(more)], [METHOD]: section, ...more });

  it("gives a token for the project, with the credential's roles and what limits it", async () => {
    const narrow = await made(alice, { name: "narrow", roles: [{ name: "reader" }], unrestricted: true });
    const { status, body } = await server.logIn(narrow);
    expect(status).toBe(201);
    expect(body.token).toMatchObject({
      methods: [METHOD],
      user: { id: alice.id },
      project: { id: alice.projectId },
      roles: [{ name: "reader" }],
      application_credential: { id: narrow.id, name: "narrow", restricted: false },
    });
    expect(body.token.application_credential).not.toHaveProperty("access_rules");
    expect((await server.logIn(robot)).body.token).toMatchObject({
      roles: [{ name: "member" }, { name: "reader" }],
      application_credential: { restricted: true },
    });
  });

  it("names the credential by its id, or by its name and user", async () => {
    const user = { name: alice.name, domain: { id: "default" } };
    const { secret } = robot;
    const names = [{ id: alice.id }, user, { ...user, domain: { name: "Default" } }];
    for (const each of names) expect((await by({ name: "robot", user: each, secret })).status).toBe(201);
    const bob = await server.member();
    expect((await by({ name: "robot", user: { id: bob.id }, secret })).status).toBe(401);
    expect((await by({ name: "robot", secret })).body.error.message).toMatch(
      /^Expecting to find user in application credential\./,
    );
    expect((await by({ secret })).body.error.message).toMatch(
      /^Expecting to find name or ID in application credential\./,
    );
    expect((await by({ name: "robot", secret, user: { name: "alice" } })).body.error.message).toMatch(
      /^Expecting to find domain in user\./,
    );
  });

  it("unknown-credentials-are-like-wrong-secrets: answers the same for an unknown id and a wrong secret", async () => {
    const unknown = await server.logIn({ id: "f".repeat(32), secret: robot.secret });
    const answers = await Promise.all([
      server.logIn({ ...robot, secret: "wrong" }),
      server.logIn({ ...robot, secret: "" }),
      by({ id: robot.id }),
      by({ id: robot.id, secret: null }),
      by({ name: "nope", secret: "x", user: { id: alice.id } }),
    ]);
    expect(unknown.status).toBe(401);
    for (const { status, body } of answers) expect([status, body]).toEqual([401, unknown.body]);
    // Also after the right secret was seen.
    expect((await server.logIn(robot)).status).toBe(201);
    expect((await server.logIn({ ...robot, secret: `${robot.secret}x` })).status).toBe(401);
  });

  it("application-credential-secrets-have-4096-bytes: counts every byte of the secret (CVE-2021-3563)", async () => {
    const secret = "x".repeat(73);
    const { id } = await made(alice, { name: "long", secret });
    expect((await server.logIn({ id, secret })).status).toBe(201);
    for (const other of [secret.slice(1), `${secret.slice(1)}y`, `${secret}x`])
      expect((await server.logIn({ id, secret: other })).status).toBe(401);
  });

  it.each([{}, "unscoped", "its project", { system: { all: true } }, { domain: { id: "default" } }])(
    "allows no scope, not even %j",
    async (scope) => {
      const wanted = scope === "its project" ? { project: { id: alice.projectId } } : scope;
      const { status, body } = await server.logIn(robot, wanted);
      expect([status, body]).toEqual([
        401,
        {
          error: {
            code: 401,
            title: "Unauthorized",
            identity: {},
            message:
              "Error authenticating with application credential: Application credentials cannot request a scope.",
          },
        },
      ]);
    },
  );

  it("is for the credential's user, whatever other user the request names (CVE-2026-42998)", async () => {
    const bob = await server.member();
    const { id, secret } = robot;
    for (const user of [{ id: bob.id }, { name: "admin", domain: { id: "default" } }])
      expect((await by({ id, secret, user })).body.token.user.id).toBe(alice.id);
    const password = (user: Member) => ({ password: { user: { id: user.id, password: PASSWORD } } });
    expect((await by({ id, secret }, password(bob))).status).toBe(401);
    expect((await by({ id, secret }, { token: { id: bob.token } })).status).toBe(401);
    // Both prove the same user: the credential's limits stay.
    const { body } = await by({ id, secret }, password(alice));
    expect(body.token).toMatchObject({
      methods: [METHOD, "password"],
      project: { id: alice.projectId },
      application_credential: { id },
    });
  });

  it("ends with the credential, and its tokens end no later", async () => {
    const expiry = server.time.now + 90_000;
    const { id, secret } = await made(alice, { name: "short", expires_at: new Date(expiry).toISOString() });
    const { body, token } = await server.logIn({ id, secret });
    expect(Date.parse(body.token.expires_at as string)).toBe(Math.floor(expiry / 1000) * 1000);
    expect(await server.validated(token)).toBe(200);
    server.time.now = expiry;
    expect((await server.logIn({ id, secret })).status).toBe(401);
    expect(await server.validated(token)).toBe(404);
  });

  it("satisfies no multi-factor rule that names other methods", async () => {
    const carol = await server.member();
    const own = await made(carol);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [["password", METHOD]] };
    expect((await server.ask("PATCH", `/v3/users/${carol.id}`, { body: { user: { options } } })).status).toBe(
      200,
    );
    const { status, body } = await server.logIn(own);
    expect([status, body.receipt.methods]).toEqual([401, [METHOD]]);
    const password = { password: { user: { id: carol.id, password: PASSWORD } } };
    expect((await by({ id: own.id, secret: own.secret }, password)).status).toBe(201);
  });
});

describe(`the receipt of a login by application credential on ${databases.name}`, () => {
  it("receipts-keep-delegation: keeps the credential's limits for the token that it completes", async () => {
    const dora = await server.member();
    const own = await made(dora);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [["password", METHOD]] };
    await server.ask("PATCH", `/v3/users/${dora.id}`, { body: { user: { options } } });
    const { receipt } = await server.logIn(own);
    const identity = { methods: ["password"], password: { user: { id: dora.id, password: PASSWORD } } };
    const headers = { "openstack-auth-receipt": receipt };
    expect((await server.authenticate(identity, { project: { id: dora.projectId } }, headers)).status).toBe(
      401,
    );
    const { body } = await server.authenticate(identity, undefined, headers);
    expect(body.token).toMatchObject({
      methods: [METHOD, "password"],
      project: { id: dora.projectId },
      application_credential: { id: own.id, restricted: true },
    });
  });
});

describe(`a token by application credential on ${databases.name}`, () => {
  let alice: Member;
  let restricted: string;
  let unrestricted: string;
  beforeAll(async () => {
    alice = await server.member();
    restricted = (await server.logIn(await made(alice))).token;
    unrestricted = (await server.logIn(await made(alice, { name: "free", unrestricted: true }))).token;
  });
  const path = () => `/v3/users/${alice.id}/application_credentials`;

  it("creates and deletes application credentials only if its own is unrestricted", async () => {
    const { id } = await made(alice, { name: "target" });
    const refused = {
      error: {
        code: 403,
        title: "Forbidden",
        message:
          "You are not authorized to perform the requested action: Using method 'application_credential' is not allowed for managing additional application credentials..",
      },
    };
    expect((await server.make(alice, { name: "child" }, restricted)).body).toEqual(refused);
    expect((await server.send("DELETE", `${path()}/${id}`, { token: restricted })).body).toEqual(refused);
    expect((await server.send("GET", path(), { token: restricted })).status).toBe(200);
    expect((await server.send("GET", `${path()}/${id}`, { token: restricted })).status).toBe(200);
    expect((await server.make(alice, { name: "child" }, unrestricted)).status).toBe(201);
    expect((await server.send("DELETE", `${path()}/${id}`, { token: unrestricted })).status).toBe(204);
  });

  it("gives no roles beyond its own to the credentials that it creates", async () => {
    const narrow = await made(alice, { name: "narrow", unrestricted: true, roles: [{ name: "reader" }] });
    const { token } = await server.logIn(narrow);
    expect((await server.make(alice, { name: "wider", roles: [{ name: "member" }] }, token)).status).toBe(
      400,
    );
    const { body } = await server.make(alice, { name: "as wide" }, token);
    expect(body.application_credential.roles).toMatchObject([{ name: "reader" }]);
  });

  it.each([
    undefined,
    "unscoped",
    "its project",
    "another project",
    { domain: { id: "default" } },
    { system: { all: true } },
  ])(
    "delegated-tokens-are-not-exchanged: gives no other token, for the scope %j (CVE-2026-80184)",
    async (scope) => {
      const bob = await server.member();
      const scopes: Record<string, object> = {
        "its project": { project: { id: alice.projectId } },
        "another project": { project: { id: bob.projectId } },
      };
      for (const id of [restricted, unrestricted]) {
        const wanted = typeof scope === "string" ? (scopes[scope] ?? scope) : scope;
        const { status, body } = await server.authenticate({ methods: ["token"], token: { id } }, wanted);
        expect([status, body.error.message]).toEqual([
          403,
          "You are not authorized to perform the requested action: Using a delegated token to create another token is not allowed..",
        ]);
      }
    },
  );

  it("delegated-tokens-are-not-exchanged: asserts its user to no other cloud", async () => {
    const asserted = async (id: string) => {
      const identity = { methods: ["token"], token: { id } };
      const body = { auth: { identity, scope: { service_provider: { id: "other-cloud" } } } };
      return (await server.send("POST", "/v3/auth/OS-FEDERATION/saml2", { body })).status;
    };
    expect(await asserted(unrestricted)).toBe(403);
    // No such service provider.
    expect(await asserted(alice.token)).toBe(404);
  });

  it("sees the projects of its user, and the catalog", async () => {
    const { body } = await server.send("GET", "/v3/auth/projects", { token: restricted });
    expect(body.projects.map(({ id }: { id: string }) => id)).toContain(alice.projectId);
    expect((await server.send("GET", "/v3/auth/catalog", { token: restricted })).status).toBe(200);
    expect((await server.send("GET", "/v3/auth/system", { token: restricted })).body.system).toEqual([]);
  });

  it("access-rule-versions-are-numbers: with access rules is valid only for services that enforce them", async () => {
    const rules = [{ service: "compute", method: "GET", path: "/v2.1/servers" }];
    const { body, token } = await server.logIn(await made(alice, { name: "ruled", access_rules: rules }));
    expect(body.token.application_credential.access_rules).toEqual([{ id: expect.any(String), ...rules[0] }]);
    const validated = (version?: string) =>
      server.validated(token, version === undefined ? {} : { "openstack-identity-access-rules": version });
    expect(await validated("1.0")).toBe(200);
    expect(await validated("2")).toBe(200);
    for (const version of [undefined, "", "0.9", "abc"]) expect(await validated(version)).toBe(404);
  });

  it("with access rules is good here for requests that a rule of type identity allows", async () => {
    const rules = [
      { service: "identity", method: "GET", path: "/v3/auth/*" },
      { service: "identity", method: "GET", path: "/v3/users/{user_id}" },
      { service: "compute", method: "GET", path: "/v3/**" },
    ];
    const { token } = await server.logIn(await made(alice, { name: "here", access_rules: rules }));
    const status = async (method: string, url: string) => (await server.send(method, url, { token })).status;
    expect(await status("GET", "/v3/auth/projects?limit=1")).toBe(200);
    expect(await status("GET", `/v3/users/${alice.id}`)).toBe(200);
    expect(await status("HEAD", "/v3/auth/projects")).toBe(401);
    expect(await status("GET", path())).toBe(401);
    expect(await status("GET", "/v3/regions")).toBe(401);
    const other = await server.logIn(await made(alice, { name: "elsewhere", access_rules: [rules[2]] }));
    expect((await server.send("GET", "/v3/auth/projects", { token: other.token })).status).toBe(401);
  });
});

describe(`an application credential on ${databases.name}`, () => {
  /** What stays after an event: the status of a login, of the validation of a token, and of the credential. */
  async function after(event: (user: Member, credential: MadeCredential) => Promise<unknown>) {
    const user = await server.member(["member", "manager"]);
    const credential = await made(user, { roles: [{ name: "member" }] });
    const { token } = await server.logIn(credential);
    await event(user, credential);
    const url = `/v3/users/${user.id}/application_credentials/${credential.id}`;
    return {
      login: (await server.logIn(credential)).status,
      token: await server.validated(token),
      used: (await server.send("GET", "/v3/auth/projects", { token })).status,
      credential: (await server.ask("GET", url)).status,
    };
  }
  const patch = (kind: string, id: string, change: object) =>
    server.ask("PATCH", `/v3/${kind}s/${id}`, { body: { [kind]: change } });
  const stays = { login: 201, token: 200, used: 200, credential: 200 };
  const gone = { login: 401, token: 404, used: 401, credential: 404 };
  const useless = { ...gone, credential: 200 };

  it.each([
    [
      "it was deleted",
      gone,
      (user: Member, { id }: MadeCredential) =>
        server.ask("DELETE", `/v3/users/${user.id}/application_credentials/${id}`),
    ],
    [
      "its role was taken from the user",
      useless,
      async (user: Member) => {
        await server.grant(user.id, user.projectId, "manager", "DELETE");
        await server.grant(user.id, user.projectId, "member", "DELETE");
      },
    ],
    [
      "another role was taken from the user",
      stays,
      async (user: Member) => {
        // A manager is a member too.
        await server.grant(user.id, user.projectId, "manager", "DELETE");
      },
    ],
    ["the user was disabled", useless, (user: Member) => patch("user", user.id, { enabled: false })],
    [
      "the user was disabled and enabled again",
      { ...useless, login: 201 },
      async (user: Member) => {
        await patch("user", user.id, { enabled: false });
        await patch("user", user.id, { enabled: true });
      },
    ],
    [
      "the user's password was changed",
      { ...useless, login: 201 },
      (user: Member) => patch("user", user.id, { password: "another one" }),
    ],
    ["the user was deleted", gone, (user: Member) => server.ask("DELETE", `/v3/users/${user.id}`)],
    [
      "the project was disabled",
      useless,
      (user: Member) => patch("project", user.projectId, { enabled: false }),
    ],
    [
      "orphans-end: the project was deleted",
      gone,
      (user: Member) => server.ask("DELETE", `/v3/projects/${user.projectId}`),
    ],
    [
      "the user's own token was revoked",
      stays,
      (user: Member) =>
        server.ask("DELETE", "/v3/auth/tokens", { headers: { "x-subject-token": user.token } }),
    ],
  ])("after %s", async (_, expected, event) => {
    expect(await after(event)).toEqual(expected);
  });

  it("ends with each role of its user on its project, and with its own roles", async () => {
    const role = await server.create("role", { name: "extra" });
    expect(
      await after(async (user) => {
        await server.grant(user.id, user.projectId, "extra");
        await server.ask("DELETE", `/v3/roles/${role}`);
      }),
    ).toEqual(gone);
    const through = await server.create("role", { name: "through" });
    const group = await server.create("group", { name: "g", domain_id: "default" });
    const eve = await server.member();
    await server.ask("PUT", `/v3/groups/${group}/users/${eve.id}`);
    await server.ask("PUT", `/v3/projects/${eve.projectId}/groups/${group}/roles/${through}`);
    const { token } = await server.byPassword({ id: eve.id }, { project: { id: eve.projectId } });
    const { id, secret } = (await server.make(eve, { roles: [{ name: "through" }] }, token)).body
      .application_credential as MadeCredential;
    expect((await server.logIn({ id, secret })).status).toBe(201);
    await server.ask("DELETE", `/v3/roles/${through}`);
    expect((await server.logIn({ id, secret })).status).toBe(401);
  });

  it("loses roles that the user loses, and what they imply", async () => {
    const user = await server.member(["member", "manager"]);
    const credential = await made(user);
    await server.grant(user.id, user.projectId, "manager", "DELETE");
    const { body } = await server.logIn(credential);
    expect(body.token.roles).toMatchObject([{ name: "member" }, { name: "reader" }]);
  });
});
