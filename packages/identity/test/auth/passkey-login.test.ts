/** Login with a passkey, alone and as a further factor, and attacks on it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import {
  passkeyService,
  PUBLIC_URL,
  type Answer,
  type PasskeyTestService,
  type PasskeyUser,
} from "../passkeys/passkey-service.js";
import {
  ALL_FLAGS,
  softwareAuthenticator,
  USER_VERIFIED,
  type Deviations,
  type SoftwareAuthenticator,
} from "../passkeys/software-authenticator.js";

let service: PasskeyTestService;
let user: PasskeyUser;
let authenticator: SoftwareAuthenticator;

beforeAll(async () => {
  service = await passkeyService(databases, {
    replicas: 2,
    env: { IDENTITY_LOCKOUT_ATTEMPTS: "3" },
  });
});
afterAll(() => service.remove());
beforeEach(async () => {
  user = await service.addUser();
  authenticator = service.authenticator();
  await service.register(user, authenticator);
});

const logIn = async (deviations: Deviations = {}, receipt?: string): Promise<Answer> =>
  service.logIn(service.byPasskey(authenticator.get(await service.loginOptions(receipt), deviations)), {
    headers: receipt === undefined ? {} : { "openstack-auth-receipt": receipt },
  });
const asAdmin = (method: string, path: string, body?: object) =>
  service.ask(method, path, { token: service.admin, body });
const change = (members: object) => asAdmin("PATCH", `/v3/users/${user.id}`, { user: members });
const rulesOf = (...rules: string[][]) =>
  change({ options: { multi_factor_auth_enabled: true, multi_factor_auth_rules: rules } });
async function reasonOf(answer: Answer): Promise<[number, string | undefined]> {
  const id = String(answer.headers["x-openstack-request-id"]);
  // Written after the response.
  await expect.poll(() => service.reasons.get(id)).toBeDefined();
  return [answer.status, service.reasons.get(id)];
}

describe(`the method webauthn on ${databases.name}`, () => {
  it("logs in alone, at any replica, with a token that may do what a password's may", async () => {
    const assertion = authenticator.get(await service.loginOptions());
    const answer = await service.logIn(service.byPasskey(assertion), { replica: 1 });
    expect([answer.status, answer.body.token.methods, answer.body.token.user.id]).toEqual([
      201,
      ["webauthn"],
      user.id,
    ]);
    const token = service.tokenOf(answer);
    const { body } = await service.ask("GET", `/v3/users/${user.id}/passkeys`, { token });
    expect(body.passkeys[0].last_used_at).toBe(
      `${new Date(Math.floor(service.time.now / 1000) * 1000).toISOString().slice(0, -1)}000Z`,
    );
    const rescoped = await service.logIn({ methods: ["token"], token: { id: token } });
    expect(rescoped.body.token.methods).toEqual(["webauthn", "token"]);
  });

  it("begins alike for everyone: no request names a user", async () => {
    const begin = (body?: object) => service.ask("POST", "/v3/auth/webauthn/options", { body });
    const [one, other] = [await begin(), await begin({ user: { id: user.id } })];
    expect(one.body.options).toEqual({
      rpId: "identity.example.org",
      challenge: expect.stringMatching(/^[\w-]{94}$/) as string,
      timeout: 240_000,
      allowCredentials: [],
      userVerification: "required",
    });
    expect(other.body.options).toEqual({
      ...one.body.options,
      challenge: expect.not.stringMatching(one.body.options.challenge) as string,
    });
  });

  it("satisfies a rule alone, and is one of two factors in either order", async () => {
    await rulesOf(["webauthn"], ["password", "webauthn"]);
    expect((await logIn()).status).toBe(201);
    await rulesOf(["password", "webauthn"]);
    const first = await service.logIn(service.byPassword(user.id));
    expect([first.status, first.body.receipt.methods, first.body.required_auth_methods]).toEqual([
      401,
      ["password"],
      [["password", "webauthn"]],
    ]);
    const receipt = String(first.headers["openstack-auth-receipt"]);
    const { allowCredentials } = await service.loginOptions(receipt);
    expect(allowCredentials).toEqual([
      { type: "public-key", id: authenticator.id, transports: ["internal", "hybrid"] },
    ]);
    const second = await logIn({}, receipt);
    expect([second.status, second.body.token.methods]).toEqual([201, ["password", "webauthn"]]);
    const begun = await logIn();
    expect(begun.status).toBe(401);
    const finished = await service.logIn(service.byPassword(user.id), {
      headers: { "openstack-auth-receipt": String(begun.headers["openstack-auth-receipt"]) },
    });
    expect([finished.status, finished.body.token.methods]).toEqual([201, ["webauthn", "password"]]);
  });

  it("does not replace a factor that the rules demand", async () => {
    await rulesOf(["password", "totp"]);
    expect(await reasonOf(await logIn())).toEqual([401, "more-methods"]);
  });

  it("says what clients without a browser lack", async () => {
    for (const webauthn of [{}, { assertion: undefined }]) {
      const answer = await service.logIn({ methods: ["webauthn"], webauthn });
      expect(answer.body.error.message).toContain("which only a browser can ask for");
      expect(await reasonOf(answer)).toEqual([401, "passkey-missing"]);
    }
    expect((await service.logIn({ methods: ["webauthn"] })).status).toBe(400);
    expect(
      (await service.ask("POST", "/v3/auth/webauthn/options", { headers: { "openstack-auth-receipt": "x" } }))
        .status,
    ).toBe(401);
  });
});

describe(`attacks on passkeys on ${databases.name}`, () => {
  it.each<[string, Deviations, string]>([
    ["another origin", { origin: "https://evil.example" }, "passkey-invalid"],
    ["a subdomain's origin", { origin: "https://www.identity.example.org" }, "passkey-invalid"],
    ["another relying party", { rpId: "evil.example" }, "passkey-invalid"],
    ["no user verification", { flags: ALL_FLAGS & ~USER_VERIFIED }, "passkey-invalid"],
    ["no user present", { flags: ALL_FLAGS & ~1 }, "passkey-invalid"],
    ["the answer to a registration", { type: "webauthn.create" }, "passkey-invalid"],
    ["a frame of another site", { crossOrigin: true }, "passkey-invalid"],
    ["another user's handle", { userHandle: "AAAA" }, "passkey-invalid"],
    ["a challenge of no one", { challenge: Buffer.alloc(70, 1).toString("base64url") }, "passkey-challenge"],
    ["a short challenge", { challenge: "AAAA" }, "passkey-challenge"],
    ["a credential of no one", { credentialId: Buffer.alloc(32, 1) }, "passkey-unknown"],
  ])("are rejected: %s", async (_name, deviations, reason) => {
    expect(await reasonOf(await logIn(deviations))).toEqual([401, reason]);
    expect((await logIn()).status).toBe(201);
  });

  it("are rejected: a replayed assertion, also at another replica at the same time", async () => {
    const assertion = service.byPasskey(authenticator.get(await service.loginOptions()));
    const answers = await Promise.all([0, 1, 0, 1].map((replica) => service.logIn(assertion, { replica })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 401, 401, 401,
    ]);
    expect(await reasonOf(await service.logIn(assertion))).toEqual([401, "passkey-replayed"]);
  });

  it("are rejected: the same challenge for a second assertion, and an expired one", async () => {
    const options = await service.loginOptions();
    expect((await service.logIn(service.byPasskey(authenticator.get(options)))).status).toBe(201);
    const again = await service.logIn(service.byPasskey(authenticator.get(options)));
    expect(await reasonOf(again)).toEqual([401, "passkey-replayed"]);
    const late = await service.loginOptions();
    service.time.now += 300_000;
    const expired = await service.logIn(service.byPasskey(authenticator.get(late)));
    expect(await reasonOf(expired)).toEqual([401, "passkey-challenge"]);
  });

  it("are rejected: a counter that goes back or stands still, but not one that never counts", async () => {
    expect((await logIn({ counter: 9 })).status).toBe(201);
    for (const counter of [9, 8, 0])
      expect(await reasonOf(await logIn({ counter }))).toEqual([401, "passkey-counter"]);
    expect((await logIn({ counter: 10 })).status).toBe(201);
    authenticator = service.authenticator();
    await service.register(user, authenticator);
    for (let count = 0; count < 2; count++) expect((await logIn({ counter: 0 })).status).toBe(201);
  });

  it("are rejected: a passkey of another user as the second factor", async () => {
    await rulesOf(["password", "webauthn"]);
    const first = await service.logIn(service.byPassword(user.id));
    const receipt = String(first.headers["openstack-auth-receipt"]);
    const thief = await service.addUser();
    const own = service.authenticator();
    await service.register(thief, own);
    const begun = own.get(await service.loginOptions(receipt));
    const options = { headers: { "openstack-auth-receipt": receipt } };
    expect(await reasonOf(await service.logIn(service.byPasskey(begun), options))).toEqual([
      401,
      "passkey-challenge",
    ]);
    const anyones = own.get(await service.loginOptions());
    expect(await reasonOf(await service.logIn(service.byPasskey(anyones), options))).toEqual([
      401,
      "users-differ",
    ]);
  });

  it("are rejected: another key under a known credential id, and a changed signature", async () => {
    const forger = softwareAuthenticator(PUBLIC_URL);
    const forged = forger.get(await service.loginOptions(), {
      credentialId: Buffer.from(authenticator.id, "base64url"),
    });
    expect(await reasonOf(await service.logIn(service.byPasskey(forged)))).toEqual([401, "passkey-invalid"]);
    const assertion = authenticator.get(await service.loginOptions());
    for (const signature of ["AAAA", "A".repeat(4096)]) {
      const changed = { ...assertion, response: { ...assertion.response, signature } };
      expect(await reasonOf(await service.logIn(service.byPasskey(changed)))).toEqual([
        401,
        "passkey-invalid",
      ]);
    }
  });

  it.each([
    ["a signature", { signature: "A".repeat(4097) }],
    ["client data", { clientDataJSON: "A".repeat(8193) }],
    ["authenticator data", { authenticatorData: "A".repeat(8193) }],
    ["a user handle", { userHandle: "A".repeat(129) }],
    ["no base64url", { signature: "+/==" }],
    ["a number", { authenticatorData: 5 }],
  ])("are rejected as malformed: oversized or strange, %s", async (_name, response) => {
    const assertion = authenticator.get(await service.loginOptions());
    const changed = { ...assertion, response: { ...assertion.response, ...response } };
    expect((await service.logIn(service.byPasskey(changed))).status).toBe(400);
  });

  it("are rejected: garbage in authenticator data and client data", async () => {
    const assertion = authenticator.get(await service.loginOptions());
    for (const response of [
      { authenticatorData: Buffer.alloc(37).toString("base64url") },
      { authenticatorData: "AA" },
      { clientDataJSON: Buffer.from("null").toString("base64url") },
      { clientDataJSON: Buffer.from('{"challenge":{}}').toString("base64url") },
      { clientDataJSON: "AAAA" },
    ]) {
      const changed = { ...assertion, response: { ...assertion.response, ...response } };
      expect((await service.logIn(service.byPasskey(changed))).status).toBe(401);
    }
  });
});

describe(`users whose passkey is right on ${databases.name}`, () => {
  it("are rejected while disabled, or with a disabled domain", async () => {
    await change({ enabled: false });
    expect(await reasonOf(await logIn())).toEqual([401, "user-disabled"]);
    await change({ enabled: true });
    expect((await logIn()).status).toBe(201);
    const { domain } = (await asAdmin("POST", "/v3/domains", { domain: { name: `d-${user.id}` } })).body;
    user = await service.addUser({}, { domain_id: domain.id });
    authenticator = service.authenticator();
    await service.register(user, authenticator);
    await asAdmin("PATCH", `/v3/domains/${domain.id}`, { domain: { enabled: false } });
    expect(await reasonOf(await logIn())).toEqual([401, "user-domain-disabled"]);
  });

  it("are rejected while wrong passwords have locked the account", async () => {
    for (let count = 0; count < 3; count++) await service.logIn(service.byPassword(user.id, "wrong"));
    expect(await reasonOf(await logIn())).toEqual([401, "user-locked"]);
  });

  it("have to change an expired password first, as with the password itself", async () => {
    const strict = await passkeyService(databases, { env: { IDENTITY_PASSWORD_EXPIRES_DAYS: "1" } });
    const owner = await strict.addUser();
    const own = strict.authenticator();
    await strict.register(owner, own);
    strict.time.now += 86_400_000;
    const answer = await strict.logIn(strict.byPasskey(own.get(await strict.loginOptions())));
    expect([answer.status, answer.body.error.message]).toEqual([
      401,
      `The password is expired and needs to be changed for user: ${owner.id}.`,
    ]);
    await strict.remove();
  });

  it("stay active by it, and are rejected once they were away too long", async () => {
    const strict = await passkeyService(databases, { env: { IDENTITY_INACTIVE_DAYS: "90" } });
    const owner = await strict.addUser();
    const own = strict.authenticator();
    await strict.register(owner, own);
    const attempt = async () => strict.logIn(strict.byPasskey(own.get(await strict.loginOptions())));
    for (let times = 0; times < 3; times++) {
      strict.time.now += 80 * 86_400_000;
      expect((await attempt()).status).toBe(201);
    }
    strict.time.now += 90 * 86_400_000;
    expect((await attempt()).status).toBe(401);
    await strict.remove();
  });

  it("are gone with their user or its reset", async () => {
    await asAdmin("DELETE", `/v3/users/${user.id}/passkeys`);
    expect(await reasonOf(await logIn())).toEqual([401, "passkey-unknown"]);
  });
});

describe(`limits on ${databases.name}`, () => {
  it("hold for assertions as for passwords, apart from them", async () => {
    const limited = await passkeyService(databases, {
      env: { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_FAILURES: "5", IDENTITY_LOGIN_WINDOW: "900" },
    });
    const owner = await limited.addUser();
    const own = limited.authenticator();
    await limited.register(owner, own);
    const attempt = async (deviations: Deviations, address = "192.0.2.9") =>
      limited.logIn(limited.byPasskey(own.get(await limited.loginOptions(), deviations)), { address });
    for (let count = 0; count < 5; count++)
      expect((await attempt({ origin: "https://evil.example" })).status).toBe(401);
    const refused = await attempt({});
    expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([429, true]);
    expect((await attempt({}, "198.51.100.7")).status).toBe(201);
    expect((await limited.logIn(limited.byPassword(owner.id), { address: "192.0.2.9" })).status).toBe(201);
    await limited.remove();
  });
});

describe("the settings of passkeys", () => {
  it("bind them to a domain above several origins", async () => {
    const shared = await passkeyService(databases, {
      env: {
        IDENTITY_PASSKEY_RP_ID: "example.org",
        IDENTITY_PASSKEY_ORIGINS: `${PUBLIC_URL},https://login.example.org`,
      },
    });
    const owner = await shared.addUser();
    const own = shared.authenticator();
    expect((await shared.register(owner, own)).status).toBe(201);
    const attempt = async (deviations: Deviations) =>
      shared.logIn(shared.byPasskey(own.get(await shared.loginOptions(), deviations)));
    expect((await attempt({ origin: "https://login.example.org" })).status).toBe(201);
    expect((await attempt({ origin: "https://other.example.org" })).status).toBe(401);
    await shared.remove();
  });
});
