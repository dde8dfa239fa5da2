import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  credentialServer,
  type CredentialServer,
} from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { ENV, SECRET } from "../federation/login-server.js";
import { ALICE, ALICE_SHA256, ALICE_WITH_UNITS, FOREIGN_ALICE } from "./client-certificates.js";

let server: CredentialServer;
let alice: string;
let bob: string;
let project: string;
beforeAll(async () => {
  server = await credentialServer(sqliteDatabases, ENV);
  project = await server.create("project", { name: "p1", domain_id: "default" });
  alice = await user("alice", { email: "alice@example.com", default_project_id: project });
  bob = await user("bob", { email: "alice@example.com", default_project_id: project });
});
afterAll(() => server.close());

async function user(name: string, attributes: object = {}, domain = "default"): Promise<string> {
  const id = await server.create("user", { name, domain_id: domain, ...attributes });
  await server.grant(id, project, "member");
  return id;
}

/** The rules of the recorded requests. */
const RULES = [
  {
    local: [{ user: { name: "{0}", email: "{1}", domain: { name: "{2}" } } }],
    remote: [
      { type: "SSL_CLIENT_SUBJECT_DN_CN" },
      { type: "SSL_CLIENT_SUBJECT_DN_EMAILADDRESS" },
      { type: "SSL_CLIENT_SUBJECT_DN_DC" },
      { type: "SSL_CLIENT_ISSUER_DN_CN", any_one_of: ["root"] },
    ],
  },
];

async function map(rules: readonly object[] = RULES, id = "oauth2_mapping"): Promise<void> {
  const path = `/v3/OS-FEDERATION/mappings/${id}`;
  await server.ask("DELETE", path);
  expect((await server.ask("PUT", path, { body: { mapping: { rules } } })).status).toBe(201);
}

/** The recorded rules with another user. */
const mappingTo = (mapped: object) => [{ ...RULES[0], local: [{ user: mapped }] }];

interface Sent {
  readonly client?: string;
  readonly assertion?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As alice by her certificate, if the request says nothing else. */
async function ask({ client = alice, assertion = { SSL_CLIENT_CERT: ALICE }, headers = {} }: Sent = {}) {
  return server.post("/v3/OS-OAUTH2/token", `grant_type=client_credentials&client_id=${client}`, {
    "content-type": "application/x-www-form-urlencoded",
    "x-forwarded-assertion-secret": SECRET,
    "x-assertion": Buffer.from(JSON.stringify(assertion)).toString("base64"),
    ...headers,
  });
}

const INVALID = {
  status: 401,
  body: { error: "invalid_client", error_description: "Client authentication failed." },
};

describe(`OAuth 2.0 by a client certificate on ${sqliteDatabases.name}`, () => {
  it("is refused without a mapping", async () => {
    expect(await ask()).toMatchObject(INVALID);
    await map();
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it("issues a token for the user's default project, bound to the certificate", async () => {
    const { status, body } = await ask();
    expect([status, body]).toEqual([
      200,
      { access_token: expect.stringMatching(/^gAAAA/), token_type: "Bearer", expires_in: 3600 },
    ]);
    const { body: shown } = await server.ask("GET", "/v3/auth/tokens", {
      headers: { "x-subject-token": body.access_token as string },
    });
    expect(shown.token).toMatchObject({
      methods: ["oauth2_credential"],
      user: { id: alice },
      project: { id: project },
      oauth2_credential: { "x5t#S256": ALICE_SHA256 },
    });
    expect(shown.token.roles.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "member",
      "reader",
    ]);
  });

  it("wins over a secret, and needs none", async () => {
    const basic = `Basic ${Buffer.from("x:y").toString("base64")}`;
    expect(await ask({ headers: { authorization: basic } })).toMatchObject({ status: 200 });
    // Without a certificate the secret counts.
    const { status } = await ask({ assertion: { SSL_CLIENT_CERT: "" }, headers: { authorization: basic } });
    expect(status).toBe(401);
  });

  it("takes a certificate in the forms that front ends send it", async () => {
    for (const certificate of [
      ALICE.replaceAll("\n", " ").trim(),
      encodeURIComponent(ALICE),
      `${ALICE}${FOREIGN_ALICE}`,
    ])
      expect(
        await ask({ assertion: { SSL_CLIENT_CERT: certificate, SSL_CLIENT_VERIFY: "SUCCESS" } }),
      ).toMatchObject({ status: 200 });
  });

  it("reads the last one of repeated names, as Keystone", async () => {
    expect(await ask({ assertion: { SSL_CLIENT_CERT: ALICE_WITH_UNITS } })).toMatchObject({ status: 200 });
  });

  it.each([
    [
      "that the front end did not verify",
      { SSL_CLIENT_CERT: ALICE, SSL_CLIENT_VERIFY: "FAILED:self signed" },
    ],
    ["of another issuer than the mapping's", { SSL_CLIENT_CERT: FOREIGN_ALICE }],
    ["that is none", { SSL_CLIENT_CERT: "nonsense" }],
    ["that is no text", { SSL_CLIENT_CERT: { a: 1 } }],
    ["that is truncated", { SSL_CLIENT_CERT: ALICE.replace("MIIB", "") }],
  ])("refuses a certificate %s", async (_, assertion) => {
    expect(await ask({ assertion })).toMatchObject(INVALID);
  });

  it("refuses the certificate of another user, an unknown user, and no user", async () => {
    for (const client of [bob, "f".repeat(32), ""]) expect(await ask({ client })).toMatchObject(INVALID);
  });

  it("takes the certificate from a trusted front end alone", async () => {
    expect(await ask({ headers: { "x-forwarded-assertion-secret": "a guess at the secret" } })).toMatchObject(
      INVALID,
    );
  });

  it("refuses a certificate before and after its time", async () => {
    const { now } = server.time;
    for (const moment of ["2025-12-31T23:59:59Z", "2036-01-01T00:00:01Z"]) {
      server.time.now = Date.parse(moment);
      expect(await ask()).toMatchObject(INVALID);
    }
    server.time.now = now;
  });

  it("compares everything that the mapping names: a user of the same name in another domain is another", async () => {
    const domain = await server.create("domain", { name: "elsewhere" });
    const other = await user("alice", { email: "alice@example.com", default_project_id: project }, domain);
    expect(await ask({ client: other })).toMatchObject(INVALID);
    for (const local of [
      { id: bob },
      { name: "{0}", domain: { id: domain } },
      { name: "{0}", email: "{0}", domain: { name: "{2}" } },
      { id: alice, email: "" },
    ]) {
      await map(mappingTo(local));
      expect([local, await ask()]).toMatchObject([local, INVALID]);
    }
    await map(mappingTo({ id: alice }));
    expect(await ask()).toMatchObject({ status: 200 });
    await map();
  });

  it("certificates-name-one-user: a mapping that does not identify a user gives no token", async () => {
    for (const local of [{ name: "{0}" }, { email: "{1}" }, { domain: { name: "{2}" } }]) {
      await map(mappingTo(local));
      expect([local, await ask()]).toMatchObject([local, INVALID]);
    }
    await map();
  });

  it("is refused where the user has no default project, no role on it, or is disabled", async () => {
    const change = (attributes: object) =>
      server.ask("PATCH", `/v3/users/${alice}`, { body: { user: attributes } });
    await change({ default_project_id: null });
    expect(await ask()).toMatchObject(INVALID);
    await change({
      default_project_id: await server.create("project", { name: "p2", domain_id: "default" }),
    });
    expect(await ask()).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    await change({ default_project_id: project, enabled: false });
    expect(await ask()).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    await change({ enabled: true });
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it("satisfies no multi-factor rules that do not name it", async () => {
    const change = (options: object) =>
      server.ask("PATCH", `/v3/users/${alice}`, { body: { user: { options } } });
    await change({ multi_factor_auth_rules: [["password", "totp"]] });
    expect(await ask()).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    await change({ multi_factor_auth_rules: null });
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it("gives a delegated token: it reads, but manages no credentials and gets no other token", async () => {
    const token = (await ask()).body.access_token as string;
    expect((await server.send("GET", "/v3/auth/projects", { token })).status).toBe(200);
    const requests = [
      ["POST", `/v3/users/${alice}/application_credentials`, { application_credential: { name: "a" } }],
      ["GET", `/v3/users/${alice}/application_credentials`, undefined],
      ["POST", `/v3/users/${alice}/credentials/OS-EC2`, { tenant_id: project }],
      ["GET", `/v3/OS-TRUST/trusts?trustor_user_id=${alice}`, undefined],
      ["POST", "/v3/auth/tokens", { auth: { identity: { methods: ["token"], token: { id: token } } } }],
    ] as const;
    for (const [method, url, body] of requests) {
      const { status } = await server.send(method, url, { token, ...(body !== undefined && { body }) });
      expect([method, url, status]).toEqual([method, url, 403]);
    }
  });

  it("ends with its tokens when the user is disabled", async () => {
    const token = (await ask()).body.access_token as string;
    await server.ask("PATCH", `/v3/users/${alice}`, { body: { user: { enabled: false } } });
    expect(await server.validated(token)).toBe(404);
    await server.ask("PATCH", `/v3/users/${alice}`, { body: { user: { enabled: true } } });
  });
});

it("takes the mapping that the settings name", async () => {
  const before = server;
  server = await credentialServer(sqliteDatabases, { ...ENV, IDENTITY_CERTIFICATE_MAPPING: "certificates" });
  try {
    project = await server.create("project", { name: "p1", domain_id: "default" });
    const client = await user("alice", { email: "alice@example.com", default_project_id: project });
    await map();
    expect(await ask({ client })).toMatchObject(INVALID);
    await map(RULES, "certificates");
    expect(await ask({ client })).toMatchObject({ status: 200 });
  } finally {
    await server.close();
    server = before;
  }
});
