/** Passkeys of users: registering, naming, deleting, resetting, and who may. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { passkeyService, PUBLIC_URL, type PasskeyTestService, type PasskeyUser } from "./passkey-service.js";
import { USER_VERIFIED, ALL_FLAGS, type Deviations } from "./software-authenticator.js";

let service: PasskeyTestService;
let user: PasskeyUser;
beforeAll(async () => {
  service = await passkeyService(databases, { replicas: 2 });
  user = await service.addUser();
});
afterAll(() => service.remove());

const pathOf = (id: string, ...more: string[]) => ["/v3/users", id, "passkeys", ...more].join("/");

describe(`passkeys on ${databases.name}`, () => {
  it("are registered by options for the browser, which name the user by no id", async () => {
    const { status, body } = await service.ask("POST", pathOf(user.id, "options"), { token: user.token });
    expect([status, Date.parse(body.expires_at) - service.time.now > 200_000]).toEqual([200, true]);
    expect(body.options).toMatchObject({
      rp: { id: "identity.example.org" },
      user: { name: user.name },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [],
    });
    expect(body.options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-8, -7, -257]);
    expect(body.options.user.id).not.toContain(user.id);
  });

  it("are registered at any replica, listed, renamed and deleted by their user", async () => {
    const authenticator = service.authenticator();
    const options = await service.optionsFor(user.id, user.token);
    const made = await service.ask("POST", pathOf(user.id), {
      token: user.token,
      replica: 1,
      body: { passkey: { name: " phone ", credential: authenticator.create(options) } },
    });
    expect(made.status).toBe(201);
    const { passkey } = made.body;
    expect(passkey).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      user_id: user.id,
      name: "phone",
      transports: ["internal", "hybrid"],
      backup_eligible: true,
      backed_up: true,
      created_at: expect.any(String) as string,
      last_used_at: null,
      links: { self: `${PUBLIC_URL}${pathOf(user.id, passkey.id)}` },
    });
    const listed = await service.ask("GET", pathOf(user.id), { token: user.token });
    expect(listed.body.passkeys).toEqual([passkey]);
    const next = await service.optionsFor(user.id, user.token);
    expect(next.excludeCredentials).toEqual([
      { type: "public-key", id: authenticator.id, transports: ["internal", "hybrid"] },
    ]);
    const renamed = await service.ask("PATCH", pathOf(user.id, passkey.id), {
      token: user.token,
      body: { passkey: { name: "old phone" } },
    });
    expect([renamed.status, renamed.body.passkey.name]).toEqual([200, "old phone"]);
    const remove = () => service.ask("DELETE", pathOf(user.id, passkey.id), { token: user.token });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
  });

  it.each<[string, Deviations]>([
    ["another origin", { origin: "https://identity.example.org.evil.example" }],
    ["HTTP", { origin: "http://identity.example.org" }],
    ["another relying party", { rpId: "example.org" }],
    ["a frame of another site", { crossOrigin: true }],
    ["a login instead", { type: "webauthn.get" }],
    ["no user verification", { flags: ALL_FLAGS & ~USER_VERIFIED }],
    ["a challenge of no one", { challenge: Buffer.alloc(70).toString("base64url") }],
    ["an empty challenge", { challenge: "" }],
  ])("are refused with %s", async (_name, deviations) => {
    const credential = service
      .authenticator()
      .create(await service.optionsFor(user.id, user.token), deviations);
    const { status, body } = await service.ask("POST", pathOf(user.id), {
      token: user.token,
      body: { passkey: { name: "x", credential } },
    });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("can't be registered")]);
  });

  it("are refused with a challenge that was used, has expired, or is for another user or a login", async () => {
    const register = async (challenge: string) =>
      service.ask("POST", pathOf(user.id), {
        token: user.token,
        body: {
          passkey: {
            name: "x",
            credential: service
              .authenticator()
              .create({ ...(await service.optionsFor(user.id, user.token)), challenge }),
          },
        },
      });
    const own = await service.optionsFor(user.id, user.token);
    expect((await register(own.challenge)).status).toBe(201);
    expect((await register(own.challenge)).body.error.message).toContain("used before");
    const other = await service.addUser();
    for (const { challenge } of [
      await service.optionsFor(other.id, other.token),
      await service.loginOptions(),
    ])
      expect((await register(challenge)).body.error.message).toContain("another one's");
    const late = await service.optionsFor(user.id, user.token);
    service.time.now += 300_000;
    expect((await register(late.challenge)).status).toBe(400);
  });

  it("are registered once: not for a second user", async () => {
    const authenticator = service.authenticator();
    const other = await service.addUser();
    expect((await service.register(user, authenticator)).status).toBe(201);
    expect((await service.register(other, authenticator)).status).toBe(409);
  });

  it("are at most 20, and go with their user", async () => {
    const owner = await service.addUser();
    for (let count = 0; count < 20; count++)
      expect((await service.register(owner, service.authenticator())).status).toBe(201);
    const { status } = await service.ask("POST", pathOf(owner.id, "options"), { token: owner.token });
    expect(status).toBe(403);
    const removed = await service.ask("DELETE", `/v3/users/${owner.id}`, { token: service.admin });
    expect(removed.status).toBe(204);
  });

  it.each([
    ["no name", { credential: {} }],
    ["a blank name", { name: " " }],
    ["a name of 256 characters", { name: "x".repeat(256) }],
    ["an oversized attestation", { response: { attestationObject: "A".repeat(70_000) } }],
    ["oversized client data", { response: { clientDataJSON: "A".repeat(8193) } }],
    ["an attestation that is no base64url", { response: { attestationObject: "+/=" } }],
  ])("are refused with %s", async (_name, change) => {
    const credential = service.authenticator().create(await service.optionsFor(user.id, user.token));
    const { response = {}, ...rest } = change as { response?: object };
    const passkey = {
      ...(!("credential" in rest) && { name: "x" }),
      credential: { ...credential, response: { ...credential.response, ...response } },
      ...("name" in rest && rest),
    };
    const { status } = await service.ask("POST", pathOf(user.id), { token: user.token, body: { passkey } });
    expect(status).toBe(400);
  });

  it.each([Buffer.alloc(0), Buffer.from("garbage"), Buffer.from([0xa3]), Buffer.alloc(20_000, 0x81)])(
    "are refused with an attestation that is none",
    async (bytes) => {
      const credential = service.authenticator().create(await service.optionsFor(user.id, user.token));
      const attestationObject = bytes.toString("base64url");
      const { status } = await service.ask("POST", pathOf(user.id), {
        token: user.token,
        body: {
          passkey: {
            name: "x",
            credential: { ...credential, response: { ...credential.response, attestationObject } },
          },
        },
      });
      expect(status).toBe(400);
    },
  );
});

describe(`who may reach passkeys on ${databases.name}`, () => {
  it("is their user for all of it, and no other user", async () => {
    const other = await service.addUser();
    const made = (await service.register(user, service.authenticator())).body.passkey;
    for (const [method, path, body] of [
      ["GET", pathOf(user.id), undefined],
      ["POST", pathOf(user.id, "options"), undefined],
      ["PATCH", pathOf(user.id, made.id), { passkey: { name: "mine" } }],
      ["DELETE", pathOf(user.id, made.id), undefined],
      ["DELETE", pathOf(user.id), undefined],
    ] as const)
      expect((await service.ask(method, path, { token: other.token, body })).status).toBe(403);
    // By another user's path, it is not found.
    const elsewhere = pathOf(other.id, made.id);
    expect((await service.ask("DELETE", elsewhere, { token: other.token })).status).toBe(404);
  });

  it("is an administrator for listing, deleting and resetting, not for registering or renaming", async () => {
    const owner = await service.addUser();
    const made = (await service.register(owner, service.authenticator())).body.passkey;
    const asAdmin = (method: string, path: string, body?: object) =>
      service.ask(method, path, { token: service.admin, body });
    expect((await asAdmin("GET", pathOf(owner.id))).body.passkeys).toHaveLength(1);
    expect((await asAdmin("POST", pathOf(owner.id, "options"))).status).toBe(403);
    const renamed = await asAdmin("PATCH", pathOf(owner.id, made.id), { passkey: { name: "x" } });
    expect(renamed.status).toBe(403);
    expect((await asAdmin("DELETE", pathOf(owner.id, made.id))).status).toBe(204);
    await service.register(owner, service.authenticator());
    expect((await asAdmin("DELETE", pathOf(owner.id))).status).toBe(204);
    expect((await asAdmin("GET", pathOf(owner.id))).body.passkeys).toEqual([]);
    // What the lost key may have begun has ended.
    expect((await service.ask("GET", pathOf(owner.id), { token: owner.token })).status).toBe(401);
    expect((await asAdmin("DELETE", pathOf("f".repeat(32)))).status).toBe(404);
  });

  it("is in the audit log: changes, resets and logins", async () => {
    const owner = await service.addUser();
    const authenticator = service.authenticator();
    await service.register(owner, authenticator);
    const login = service.byPasskey(authenticator.get(await service.loginOptions()));
    expect([(await service.logIn(login)).status, (await service.logIn(login)).status]).toEqual([201, 401]);
    await service.ask("DELETE", pathOf(owner.id), { token: owner.token });
    await service.ask("DELETE", pathOf(owner.id), { token: service.admin });
    const lines = () => service.audits.slice(-5).map(({ action, outcome }) => `${action} ${outcome}`);
    // Written after the response. To begin changes nothing.
    await expect
      .poll(lines)
      .toEqual([
        "identity:create_passkey done",
        "authenticate done",
        "authenticate refused",
        "identity:reset_passkeys refused",
        "identity:reset_passkeys done",
      ]);
  });

  it("does not include delegated tokens", async () => {
    const owner = await service.addUser();
    const project = (
      await service.ask("POST", "/v3/projects", {
        token: service.admin,
        body: { project: { name: `p-${owner.id}` } },
      })
    ).body.project;
    const { roles } = (await service.ask("GET", "/v3/roles?name=member", { token: service.admin })).body;
    const grant = `/v3/projects/${project.id}/users/${owner.id}/roles/${roles[0].id}`;
    await service.ask("PUT", grant, { token: service.admin });
    const scope = { project: { id: project.id } };
    const scoped = service.tokenOf(await service.logIn(service.byPassword(owner.id), { scope }));
    const created = await service.ask("POST", `/v3/users/${owner.id}/application_credentials`, {
      token: scoped,
      body: { application_credential: { name: "robot", unrestricted: true } },
    });
    const { id, secret } = created.body.application_credential;
    const delegated = service.tokenOf(
      await service.logIn({ methods: ["application_credential"], application_credential: { id, secret } }),
    );
    for (const [method, path] of [
      ["GET", pathOf(owner.id)],
      ["POST", pathOf(owner.id, "options")],
    ] as const)
      expect((await service.ask(method, path, { token: delegated })).status).toBe(403);
  });
});
