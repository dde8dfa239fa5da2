/** Tokens for signed requests, and what delegated tokens may do with credentials. */
import { createHmac } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ec2CredentialId } from "../../src/credentials/ec2-blob.js";
import { signatureV2 } from "../../src/credentials/signatures/ec2-signature.js";
import { signatureV4 } from "../../src/credentials/signatures/signature-v4.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

const PASSWORD = "a-long-password";
const time = { now: Date.parse("2026-11-22T12:00:00Z") };

let service: TestApp;
let admin: string;
let nova: string;
let member: string;
let users = 0;
const ids: Record<string, string> = {};

beforeAll(async () => {
  service = await testApp(sqliteDatabases, {}, { clock: { now: () => time.now } });
  const named = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const login = await logIn({ methods: ["password"], password: { user: named } }, { system: { all: true } });
  admin = login.token;
  for (const name of ["p1", "p2"]) ids[name] = await create("projects", { name, domain_id: "default" });
  const { roles } = (await ask("GET", "/v3/roles")).body as { roles: { id: string; name: string }[] };
  for (const { id, name } of roles) ids[name] = id;
  ids["service"] ??= await create("roles", { name: "service" });
  nova = (await tokenOf(await addUser("service"))).token;
  member = (await tokenOf(await addUser("member"))).token;
});
afterAll(() => service.remove());

async function ask(method: string, url: string, { body, as = admin, subject }: Asked = {}) {
  const answer = await service.app.server.inject({
    method: method as "GET",
    url,
    headers: {
      ...(as !== null && { "x-auth-token": as }),
      ...(subject !== undefined && { "x-subject-token": subject }),
    },
    ...(body !== undefined && { payload: body }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any
  const parsed: any = answer.body === "" ? undefined : answer.json();
  return { status: answer.statusCode, body: parsed, token: String(answer.headers["x-subject-token"] ?? "") };
}

interface Asked {
  readonly body?: object;
  readonly as?: string | null;
  readonly subject?: string;
}

async function create(collection: string, attributes: object, as = admin): Promise<string> {
  const key = collection.split("/").at(-1)?.slice(0, -1) ?? "";
  const { status, body } = await ask("POST", `/v3/${collection}`, { as, body: { [key]: attributes } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body[key].id as string;
}

const logIn = (identity: object, scope?: object) =>
  ask("POST", "/v3/auth/tokens", { as: null, body: { auth: { identity, scope } } });

/** A user with a role on both projects. */
async function addUser(role = "member", options: object = {}): Promise<string> {
  const name = `user${(users += 1)}`;
  const user = { name, domain_id: "default", password: PASSWORD, options };
  const id = await create("users", user);
  for (const project of ["p1", "p2"]) await grant("PUT", id, { project, role });
  return id;
}

const grant = (method: string, user: string, { project = "p1", role = "member" } = {}) =>
  ask(method, `/v3/projects/${ids[project]}/users/${user}/roles/${ids[role]}`);

const tokenOf = (id: string, project = "p1") =>
  logIn(
    { methods: ["password"], password: { user: { id, password: PASSWORD } } },
    { project: { id: ids[project] } },
  );

interface Key {
  readonly access: string;
  readonly secret: string;
}

async function addKey(user: string, project = "p1"): Promise<Key> {
  const body = { tenant_id: ids[project] };
  return (await ask("POST", `/v3/users/${user}/credentials/OS-EC2`, { body })).body.credential as Key;
}

/** A key that its owner has bound to a delegation. */
async function addBoundKey(user: string, binding: object, project = "p1"): Promise<Key> {
  const key = { access: `access-${(users += 1)}`, secret: "secret" };
  const blob = JSON.stringify({ ...key, ...binding });
  await create("credentials", { type: "ec2", blob, user_id: user, project_id: ids[project] });
  return key;
}

/** What a service sends of a request that a client has signed by version 2. */
function signed({ access, secret }: Key, changes: object = {}) {
  const request = { verb: "GET", host: "nova.example.com:8773", path: "/services/Cloud" };
  const params = {
    Action: "DescribeInstances",
    AWSAccessKeyId: access,
    SignatureVersion: "2",
    Timestamp: new Date(time.now).toISOString(),
  };
  const signature = signatureV2({ ...request, parameters: new Map(Object.entries(params)) }, secret);
  return { access, signature, ...request, params, headers: {}, ...changes };
}

const ec2tokens = (credentials: unknown, as: string | null = nova) =>
  ask("POST", "/v3/ec2tokens", { as, body: { credentials } });

function signedForS3({ access, secret }: Key, text = `GET\n\n\n${new Date(time.now).toUTCString()}\n/b/o`) {
  const token = Buffer.from(text).toString("base64url");
  return { access, token, signature: createHmac("sha1", secret).update(text).digest("base64") };
}

const s3tokens = (credentials: unknown, as: string | null = nova) =>
  ask("POST", "/v3/s3tokens", { as, body: { credentials } });

describe(`a signed request on ${sqliteDatabases.name}`, () => {
  it("gets a service the token of the user who signed it", async () => {
    const user = await addUser();
    const { status, body, token } = await ec2tokens(signed(await addKey(user, "p2")));
    expect(status).toBe(200);
    expect(body.token).toMatchObject({
      methods: ["ec2credential"],
      user: { id: user },
      project: { id: ids["p2"] },
    });
    expect(body.token.roles.map(({ name }: { name: string }) => name).toSorted()).toStrictEqual([
      "member",
      "reader",
    ]);
    const seen = await ask("GET", "/v3/auth/tokens", { as: nova, subject: token });
    expect(seen).toMatchObject({ status: 200, body: { token: { methods: ["ec2credential"] } } });
    expect(seen.body.token.catalog).toStrictEqual(body.token.catalog);
  });

  it("is described by the first member that is not empty", async () => {
    const body = { credentials: {}, credential: null, ec2Credentials: signed(await addKey(await addUser())) };
    expect((await ask("POST", "/v3/ec2tokens", { as: nova, body })).status).toBe(200);
    const none = { credentials: {}, credential: "", ec2Credentials: [] };
    expect((await ask("POST", "/v3/ec2tokens", { as: nova, body: none })).status).toBe(401);
  });

  it.each(["credentials", "credential", "ec2Credentials"])("may be in the member %s", async (name) => {
    const body = { [name]: signed(await addKey(await addUser())) };
    expect((await ask("POST", "/v3/ec2tokens", { as: nova, body })).status).toBe(200);
  });

  it("of S3 gets a token that is shown, and not sent", async () => {
    const user = await addUser();
    const key = await addKey(user);
    const { status, body, token } = await s3tokens(signedForS3(key));
    expect([status, body.token.user.id, token]).toStrictEqual([200, user, ""]);
    const day = new Date(time.now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const scope = { date: day.slice(0, 8), region: "RegionOne", service: "s3" };
    const hash = "ab".repeat(32);
    const text = ["AWS4-HMAC-SHA256", day, `${scope.date}/RegionOne/s3/aws4_request`, hash].join("\n");
    const signature = signatureV4({ secret: key.secret, scope, time: day, hash });
    expect((await s3tokens({ ...signedForS3(key, text), signature })).status).toBe(200);
  });

  it("is no login for clients: services and administrators alone send it (CVE-2025-65073)", async () => {
    const key = await addKey(await addUser());
    for (const send of [ec2tokens, s3tokens]) {
      const request = send === ec2tokens ? signed(key) : signedForS3(key);
      expect((await send(request, null)).status).toBe(401);
      expect((await send(request, "no token")).status).toBe(401);
      expect((await send(request, member)).status).toBe(403);
      expect((await send(request, admin)).status).toBe(200);
    }
  });

  it("signs for users under multi-factor rules too", async () => {
    const user = await addUser("member", { multi_factor_auth_rules: [["password", "totp"]] });
    expect((await ec2tokens(signed(await addKey(user)))).status).toBe(200);
  });

  it("is rejected with a wrong signature, an old one, or of a version that covers no host", async () => {
    const key = await addKey(await addUser());
    const request = signed(key);
    expect((await ec2tokens({ ...request, path: "/x" })).status).toBe(401);
    expect((await ec2tokens(signed({ ...key, secret: "wrong" }))).status).toBe(401);
    for (const SignatureVersion of ["0", "1"]) {
      const params = { ...request.params, SignatureVersion };
      expect((await ec2tokens({ ...request, params })).status).toBe(401);
    }
    time.now += 901_000;
    expect((await ec2tokens(request)).status).toBe(401);
    expect((await ec2tokens(signed(key))).status).toBe(200);
  });

  it("is rejected with an unknown or deleted key by 404, and with a former secret by 401", async () => {
    const user = await addUser();
    const key = await addKey(user);
    const unknown = await ec2tokens(signed({ access: "unknown", secret: "s" }));
    expect([unknown.status, unknown.body.error.message]).toStrictEqual([404, "EC2 access key not found."]);
    expect((await ec2tokens(signed(key))).status).toBe(200);
    const blob = JSON.stringify({ ...key, secret: "new" });
    const body = { credential: { blob } };
    await ask("PATCH", `/v3/credentials/${ec2CredentialId(key.access)}`, { body });
    expect((await ec2tokens(signed(key))).status).toBe(401);
    expect((await ec2tokens(signed({ ...key, secret: "new" }))).status).toBe(200);
    await ask("DELETE", `/v3/users/${user}/credentials/OS-EC2/${key.access}`);
    expect((await ec2tokens(signed({ ...key, secret: "new" }))).status).toBe(404);
  });

  it("is rejected with a credential of another type, without a secret, or with another access key", async () => {
    const user = await addUser();
    const place = { user_id: user, project_id: ids["p1"] };
    const blob = (access: string) => JSON.stringify({ access, secret: "s" });
    await create("credentials", { type: "EC2", blob: blob("upper"), ...place });
    await create("credentials", { type: "ec2", blob: JSON.stringify({ access: "silent" }), ...place });
    const id = await create("credentials", { type: "ec2", blob: blob("first"), ...place });
    await ask("PATCH", `/v3/credentials/${id}`, { body: { credential: { blob: blob("second") } } });
    for (const [access, secret, status] of [
      ["upper", "s", 404],
      ["silent", "", 401],
      ["first", "s", 401],
      ["second", "s", 404],
    ] as const)
      expect([access, (await ec2tokens(signed({ access, secret }))).status]).toStrictEqual([access, status]);
  });

  it("is rejected for a disabled user or project, and without a role there", async () => {
    const user = await addUser();
    const key = await addKey(user);
    const enable = (enabled: boolean, url: string, name: string) =>
      ask("PATCH", url, { body: { [name]: { enabled } } });
    for (const [url, name] of [
      [`/v3/users/${user}`, "user"],
      [`/v3/projects/${ids["p1"]}`, "project"],
    ] as const) {
      await enable(false, url, name);
      expect((await ec2tokens(signed(key), admin)).status).toBe(401);
      await enable(true, url, name);
      expect((await ec2tokens(signed(key), admin)).status).toBe(200);
    }
    await grant("DELETE", user);
    expect((await s3tokens(signedForS3(key), admin)).status).toBe(401);
    nova = (await tokenOf(await addUser("service"))).token;
  });

  it.each([
    [{}, 400],
    [{ foo: {} }, 401],
    [{ credentials: "x" }, 401],
    [{ credentials: [] }, 401],
    [{ credentials: {} }, 401],
    [{ credentials: { access: 5 } }, 400],
    [{ credentials: { access: "known" } }, 401],
    [{ credentials: { access: "known", signature: 5 } }, 400],
    [{ credentials: { access: "known", signature: "s" } }, 400],
    [
      { credentials: { access: "known", signature: "s", params: { a: {} }, verb: "", host: "", path: "" } },
      400,
    ],
  ])("needs a description: %j", async (body, status) => {
    if ((await ask("GET", `/v3/credentials/${ec2CredentialId("known")}`)).status === 404) {
      const blob = JSON.stringify({ access: "known", secret: "s" });
      const user_id = await addUser();
      await create("credentials", { type: "ec2", blob, user_id, project_id: ids["p1"] });
    }
    for (const path of ["ec2tokens", "s3tokens"])
      expect((await ask("POST", `/v3/${path}`, { as: nova, body })).status).toBe(status);
  });
});

describe(`the token of a signed request on ${sqliteDatabases.name}`, () => {
  it("is for validation alone (CVE-2026-80182): it calls nothing, and gets no other token", async () => {
    const user = await addUser();
    const { token } = await ec2tokens(signed(await addKey(user)));
    for (const [method, url] of [
      ["GET", "/v3/auth/projects"],
      ["GET", `/v3/users/${user}`],
      ["GET", "/v3/credentials"],
      ["POST", `/v3/users/${user}/application_credentials`],
    ] as const)
      expect((await ask(method, url, { as: token })).status).toBe(403);
    const identity = { methods: ["token"], token: { id: token } };
    for (const scope of [undefined, { project: { id: ids["p2"] } }])
      expect((await logIn(identity, scope)).status).toBe(403);
  });

  it("ends with the user's password, and by revocation", async () => {
    const user = await addUser();
    const key = await addKey(user);
    const { token } = await ec2tokens(signed(key));
    await ask("PATCH", `/v3/users/${user}`, { body: { user: { password: "another-password" } } });
    expect((await ask("GET", "/v3/auth/tokens", { subject: token })).status).toBe(404);
    const next = await ec2tokens(signed(key));
    expect((await ask("DELETE", "/v3/auth/tokens", { subject: next.token })).status).toBe(204);
    expect((await ask("GET", "/v3/auth/tokens", { subject: next.token })).status).toBe(404);
  });
});

describe(`a key that is bound to a delegation on ${sqliteDatabases.name}`, () => {
  it("has the roles of its application credential, until that is deleted (CVE-2020-12689)", async () => {
    const user = await addUser();
    const { token } = await tokenOf(user);
    const path = `users/${user}/application_credentials`;
    const roles = [{ name: "reader" }];
    const id = await create(path, { name: "a", roles }, token);
    const key = await addBoundKey(user, { app_cred_id: id });
    const { status, body } = await ec2tokens(signed(key));
    expect(status).toBe(200);
    expect(body.token.roles.map(({ name }: { name: string }) => name)).toStrictEqual(["reader"]);
    expect((await ask("DELETE", `/v3/${path}/${id}`, { as: token })).status).toBe(204);
    expect((await ec2tokens(signed(key))).status).toBe(401);
  });

  it("takes one of the remaining uses of its trust: signed-requests-use-up-trusts", async () => {
    const [alice, bob] = [await addUser(), await addUser()];
    const { token } = await tokenOf(alice);
    const trust = {
      trustor_user_id: alice,
      trustee_user_id: bob,
      impersonation: false,
      project_id: ids["p1"],
      roles: [{ name: "member" }],
      remaining_uses: 1,
    };
    const made = await ask("POST", "/v3/OS-TRUST/trusts", { as: token, body: { trust } });
    const key = await addBoundKey(bob, { trust_id: made.body.trust.id });
    expect((await ec2tokens(signed(key))).status).toBe(200);
    expect((await ec2tokens(signed(key))).status).toBe(401);
  });

  it("is rejected for another project than that of the application credential (CVE-2026-43001)", async () => {
    const user = await addUser();
    const { token } = await tokenOf(user, "p1");
    const id = await create(`users/${user}/application_credentials`, { name: "a" }, token);
    expect((await ec2tokens(signed(await addBoundKey(user, { app_cred_id: id }, "p1")))).status).toBe(200);
    expect((await ec2tokens(signed(await addBoundKey(user, { app_cred_id: id }, "p2")))).status).toBe(401);
  });

  it.each([
    [{ trust_id: "unknown" }],
    [{ app_cred_id: "unknown" }],
    [{ app_cred_id: 5 }],
    [{ app_cred_id: "" }],
    [{ trust_id: false }],
    [{ trust_id: {} }],
    [{ access_token_id: "unknown" }],
    [{ access_id: "unknown" }],
  ])("is rejected where that does not exist: %j", async (binding) => {
    expect((await ec2tokens(signed(await addBoundKey(await addUser(), binding)))).status).toBe(401);
  });
});

describe(`a delegated token on ${sqliteDatabases.name}`, () => {
  it("reaches no credentials at all (CVE-2026-90460), and lists none", async () => {
    const user = await addUser();
    const { token } = await tokenOf(user);
    const key = await addKey(user);
    const draft = { name: "a", secret: "a-secret", unrestricted: true };
    const id = await create(`users/${user}/application_credentials`, draft, token);
    const login = await logIn({
      methods: ["application_credential"],
      application_credential: { id, secret: draft.secret },
    });
    expect(login.status).toBe(201);
    const keys = `/v3/users/${user}/credentials/OS-EC2`;
    const credential = `/v3/credentials/${ec2CredentialId(key.access)}`;
    const blob = { credential: { type: "totp", blob: "x", user_id: user } };
    for (const [method, url, body] of [
      ["POST", "/v3/credentials", blob],
      ["GET", credential],
      ["PATCH", credential, { credential: { blob: "{}" } }],
      ["DELETE", credential],
      ["GET", keys],
      ["POST", keys, { tenant_id: ids["p1"] }],
      ["GET", `${keys}/${key.access}`],
      ["DELETE", `${keys}/${key.access}`],
    ] as const) {
      const answer = await ask(method, url, { as: login.token, ...(body && { body }) });
      expect([method, url, answer.status, answer.body.error.message]).toStrictEqual([
        method,
        url,
        403,
        "You are not authorized to perform the requested action: Delegated tokens cannot access credentials directly.",
      ]);
    }
    const listed = await ask("GET", "/v3/credentials", { as: login.token });
    expect([listed.status, listed.body.credentials]).toStrictEqual([200, []]);
    expect((await ask("GET", "/v3/credentials", { as: token })).body.credentials).toHaveLength(1);
  });
});
