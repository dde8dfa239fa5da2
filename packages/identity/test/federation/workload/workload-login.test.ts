/** Logins of workloads at the protocol's auth endpoint: their users, and what they may do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { examineProviders } from "../../../src/doctor/provider-checks.js";
import { databases } from "../../databases.js";
import { createIssuer } from "./issuer.js";
import { SETTINGS, workloadServer, type WorkloadServer } from "./workload-server.js";

let server: WorkloadServer;
beforeAll(async () => {
  server = await workloadServer(databases, { replicas: 2 });
});
afterAll(() => server.close());

const branch = (name: string) => ({ sub: `repo:octo-org/octo-repo:ref:refs/heads/${name}` });
const login = async (changes = {}, replica = 0) => server.bear(await server.token(changes), replica);

describe(`users of workloads on ${databases.name}`, () => {
  // Replaces the protocol, which deletes its users.
  beforeEach(async () => {
    await server.put();
  });

  it("are one for each subject, with the subject as their id at the provider", async () => {
    const first = await login();
    expect(first.status).toBe(201);
    expect(first.body.token).toMatchObject({
      methods: ["jobs"],
      user: {
        name: "octo-org/octo-repo",
        "OS-FEDERATION": {
          identity_provider: { id: "ci" },
          protocol: { id: "jobs" },
          groups: [{ id: server.groupId }],
        },
      },
    });
    expect((await login({}, 1)).body.token.user.id).toBe(first.body.token.user.id);
    const others = [
      branch("Main"),
      branch("main "),
      branch("ma\u0131n"),
      branch("e\u0301"),
      branch("\u00e9"),
    ];
    for (const changes of others) expect((await login(changes)).status).toBe(201);
    expect(await server.userIds()).toHaveLength(1 + others.length);
    const { body } = await server.ask("GET", `/v3/users/${first.body.token.user.id}`);
    expect(body.user.federated).toEqual([
      {
        idp_id: "ci",
        protocols: [{ protocol_id: "jobs", unique_id: "repo:octo-org/octo-repo:ref:refs/heads/main" }],
      },
    ]);
  });

  it("have tokens that expire with the workload's", async () => {
    const { body } = await login();
    const end = Math.floor(server.time.now / 1000) + 300;
    expect(Date.parse(body.token.expires_at)).toBe(end * 1000);
  });

  it("are no more than the bound, also by logins at once and on several replicas", async () => {
    await server.put({ max_users: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => (await login(branch(`b${number}`), number % 2)).status),
    );
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(3);
    for (let number = 20; number < 24; number += 1) await login(branch(`b${number}`));
    expect(await server.userIds()).toHaveLength(3);
    expect((await login(branch("b99"))).status).toBe(403);
    expect(server.refusals.at(-1)).toMatchObject({
      step: "workload",
      reason:
        "the protocol has 3 users, each used in the last 30 days, expected fewer (max_users, unused_days)",
    });
    // Users who are known log in.
    const known = await server.ask("GET", `/v3/users/${(await server.userIds())[0]}`);
    const { unique_id: sub } = known.body.user.federated[0].protocols[0];
    expect((await login({ sub })).status).toBe(201);
  });
});

describe(`a user without a row on ${databases.name}`, () => {
  beforeEach(async () => {
    await server.put({ persist_user: false });
  });

  const rescope = (token: string, scope: object) => {
    const identity = { methods: ["token"], token: { id: token } };
    return server.ask("POST", "/v3/auth/tokens", { token: "", body: { auth: { identity, scope } } });
  };
  const projectToken = async () =>
    (await rescope((await login()).token, { project: { id: server.projectId } })).token;

  it("has a stable id, the mapping's groups and their roles", async () => {
    const { body, token, status } = await login();
    expect(status).toBe(201);
    expect(await server.userIds()).toEqual([]);
    const { id } = body.token.user;
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect((await login({}, 1)).body.token.user.id).toBe(id);
    expect((await login(branch("other"))).body.token.user.id).not.toBe(id);
    const scoped = await rescope(token, { project: { id: server.projectId } });
    expect(scoped.status).toBe(201);
    const shown = await server.factsOf(scoped.token);
    expect(shown.body.token).toMatchObject({
      user: {
        id,
        name: "octo-org/octo-repo",
        domain: { id: "default", name: "Default" },
        "OS-FEDERATION": { groups: [{ id: server.groupId }] },
      },
      project: { id: server.projectId },
      expires_at: body.token.expires_at,
    });
    expect(shown.body.token.roles.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "member",
      "reader",
    ]);
    const projects = await server.ask("GET", "/v3/auth/projects", { token });
    expect(projects.body.projects.map((project: { id: string }) => project.id)).toEqual([server.projectId]);
    expect((await rescope(token, { system: { all: true } })).status).toBe(401);
  });

  it("has another id by another protocol and provider, and than a stored user", async () => {
    const ids = new Set([(await login()).body.token.user.id]);
    await server.put();
    ids.add((await login()).body.token.user.id);
    expect(ids.size).toBe(2);
  });

  it("has nothing that outlives the token", async () => {
    const token = await projectToken();
    const { id } = (await server.factsOf(token)).body.token.user;
    const attempts: [string, object][] = [
      [`/v3/users/${id}/application_credentials`, { application_credential: { name: "a" } }],
      [`/v3/users/${id}/credentials/OS-EC2`, { tenant_id: server.projectId }],
      ["/v3/credentials", { credential: { type: "cert", blob: "{}", user_id: id } }],
      [
        "/v3/OS-TRUST/trusts",
        {
          trust: {
            trustor_user_id: id,
            trustee_user_id: id,
            impersonation: false,
            project_id: server.projectId,
            roles: [{ name: "member" }],
          },
        },
      ],
    ];
    for (const [path, body] of attempts)
      expect([path, (await server.ask("POST", path, { token, body })).status]).toEqual([path, 403]);
    // A stored user of the same mapping may.
    await server.put();
    const stored = await projectToken();
    const owner = (await server.factsOf(stored)).body.token.user.id as string;
    const key = await server.ask("POST", `/v3/users/${owner}/credentials/OS-EC2`, {
      token: stored,
      body: { tenant_id: server.projectId },
    });
    expect(key.status).toBe(201);
  });

  it("gets no roles in projects from the mapping", async () => {
    const rules = [
      {
        remote: [{ type: "OIDC-sub" }],
        local: [{ user: { name: "{0}" } }, { projects: [{ name: "site", roles: [{ name: "member" }] }] }],
      },
    ];
    await server.mapJobs(rules);
    expect((await login()).status).toBe(403);
    expect(server.refusals.at(-1)).toMatchObject({
      step: "projects",
      reason: 'the mapping grants roles in 1 projects to the user, expected groups ("persist_user" is false)',
    });
    await server.mapJobs();
  });

  it("loses its tokens with the group, the protocol or the provider", async () => {
    const token = await projectToken();
    const read = async () => (await server.factsOf(token)).status;
    expect(await read()).toBe(200);
    const provider = "/v3/OS-FEDERATION/identity_providers/ci";
    await server.ask("PATCH", provider, { body: { identity_provider: { enabled: false } } });
    expect(await read()).toBe(404);
    await server.ask("PATCH", provider, { body: { identity_provider: { enabled: true } } });
    await server.ask("DELETE", `/v3/groups/${server.groupId}`);
    expect(await read()).toBe(404);
  });
});

describe(`settings for workloads on ${databases.name}`, () => {
  const weak = { kty: "RSA", n: Buffer.alloc(64, 255).toString("base64url"), e: "AQAB" };
  const cases: [string, object, RegExp][] = [
    ["without audiences", { audiences: undefined }, /"audiences" is required/],
    ["without conditions", { conditions: undefined }, /"conditions" needs one on "sub"/],
    [
      "with a condition on another claim alone",
      { conditions: [{ claim: "ref", values: ["x"] }] },
      /"conditions" needs/,
    ],
    ...[
      "*",
      "**",
      "repo:*",
      "repository_owner:*",
      "*/app",
      "project_path:*",
      "system:serviceaccount:*",
      "spiffe://*",
    ].map((value): [string, object, RegExp] => [
      `with the condition ${value}`,
      { conditions: [{ claim: "sub", values: [value] }] },
      /"conditions" needs/,
    ]),
    [
      "with one value for all",
      { conditions: [{ claim: "sub", values: ["repo:a/b:*", "*"] }] },
      /"conditions" needs/,
    ],
    ["with the client as audience", { client_id: "c", audiences: ["c"] }, /ID tokens of its users/],
    ["with two sources of keys", { jwks_uri: "https://x.example.org" }, /exclude each other/],
    [
      "with keys for access tokens",
      { token_kinds: ["access_token", "workload"], client_id: "c" },
      /need discovery/,
    ],
    ["with a weak key", { jwks: { keys: [weak] } }, /"jwks.keys\[0\]" has an RSA key of 512 bits/],
    ["with a symmetric key", { jwks: { keys: [{ kty: "oct", k: "eA" }] } }, /private member "k"/],
    ["with a private key", { jwks: { keys: [{ ...createIssuer().jwk, d: "eA" }] } }, /private member "d"/],
    ...["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"].flatMap((member): [string, object, RegExp][] =>
      [{}, { use: "enc" }, { use: "x509-svid" }, { use: "sig" }].map((parts) => [
        `with the private member ${member} beside ${JSON.stringify(parts)}`,
        { jwks: { keys: [createIssuer().jwk, { ...createIssuer("b").jwk, ...parts, [member]: "AQAB" }] } },
        new RegExp(`"jwks.keys\\[1\\]" \\(kid "b"\\) has the private member "${member}"`),
      ]),
    ),
    [
      "with a symmetric key of another use",
      { jwks: { keys: [createIssuer().jwk, { kty: "oct", use: "enc", alg: "A256KW" }] } },
      /"jwks.keys\[1\]" is a symmetric key/,
    ],
    ...["sign", "decrypt", "unwrapKey", "deriveKey", "deriveBits"].map((name): [string, object, RegExp] => [
      `with the operation ${name}`,
      { jwks: { keys: [{ ...createIssuer().jwk, key_ops: ["verify", name] }] } },
      new RegExp(`has the operation "${name}"`),
    ]),
    [
      "with a private key beside the keys",
      { jwks: { keys: [createIssuer().jwk], d: "AQAB" } },
      /"jwks" has the private member "d"/,
    ],
    [
      "with a private key within a key",
      { jwks: { keys: [{ ...createIssuer().jwk, pair: { kty: "RSA", q: "AQAB" } }] } },
      /"jwks.keys\[0\].pair" has the private member "q"/,
    ],
    [
      "with a private key in PEM within a key",
      { jwks: { keys: [{ ...createIssuer().jwk, x5c: ["-----BEGIN EC PRIVATE KEY-----\nx"] }] } },
      /"jwks.keys\[0\].x5c\[0\]" has a private key in PEM/,
    ],
    ...["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"].map(
      (label): [string, object, RegExp] => [
        `with a ${label} as an authority`,
        {
          ca_certificates: [
            `-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN ${label}-----\nx`,
          ],
        },
        /"ca_certificates\[0\]" has a private key in PEM/,
      ],
    ),
    ["with what is no key", { jwks: { keys: [{ kty: "x" }] } }, /no public key/],
    ["without a signing key", { jwks: { keys: [{ ...weak, use: "enc" }] } }, /no key with "use": "sig"/],
    [
      "with an authority that is none",
      { ca_certificates: ["-----BEGIN x"] },
      /"ca_certificates\[0\]" is no X.509/,
    ],
    ["of other kinds without a client", { token_kinds: undefined }, /"client_id" is required/],
    [
      "that need workloads",
      { token_kinds: ["access_token"], client_id: "c" },
      /"jwks" needs "token_kinds" with/,
    ],
  ];
  it.each(cases)("are refused %s", async (_, settings, message) => {
    const { status, body } = await server.put(settings);
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("that a former release has stored are shown without private keys, and the doctor warns of these and of broad conditions", async () => {
    const [good, bad] = [
      createIssuer().jwk,
      { ...createIssuer("b").jwk, use: "enc", d: "c2VjcmV0", oth: [] },
    ];
    await server.put();
    const conditions = [{ claim: "sub", values: ["repo:octo-org*"] }];
    const settings = {
      ...SETTINGS,
      conditions,
      jwks: { keys: [good, bad] },
      ca_certificates: [`${PEM}\n${KEY}\nafter`],
    };
    await server.database
      .tables<{ protocol: { idp_id: string; settings: string } }>()
      .updateTable("protocol")
      .set({ settings: JSON.stringify(settings) })
      .where("idp_id", "=", "ci")
      .execute();
    await server.ask("PATCH", "/v3/OS-FEDERATION/mappings/jobs", { body: { mapping: {} } });
    const path = "/v3/OS-FEDERATION/identity_providers/ci/protocols";
    for (const url of [path, `${path}/jobs`, "/v3/OS-FEDERATION/protocols"]) {
      const { status, text } = await server.ask("GET", url);
      expect([status, text.includes("c2VjcmV0"), text.includes("PRIVATE")]).toEqual([200, false, false]);
    }
    const { body } = await server.ask("GET", `${path}/jobs`);
    const { d: _d, oth: _oth, ...shown } = bad as typeof bad & { kid: string };
    expect(body.protocol.settings.jwks.keys).toEqual([good, shown]);
    expect(body.protocol.settings.ca_certificates).toEqual([`${PEM}\n\nafter`]);
    const findings = (await examineProviders(server.database)).map(({ text }) => text).join("\n");
    expect(findings).toContain('"jwks.keys[1]" (kid "b") has the private member "d"');
    expect(findings).not.toContain("c2VjcmV0");
    expect(findings).toContain(
      '"repo:octo-org*" for "sub" accepts workloads of other owners too; logins go on',
    );
  });

  it("are shown as stored", async () => {
    const { status, body } = await server.put({ max_users: 5, unused_days: 3 });
    expect(status).toBe(201);
    expect(body.protocol.settings).toMatchObject({ ...SETTINGS, max_users: 5, unused_days: 3 });
  });
});

const PEM = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----";
const KEY = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
