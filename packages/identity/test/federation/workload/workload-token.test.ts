/** Tokens of workloads: those that are accepted, and attacks. */
import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";

import { CompactEncrypt, SignJWT, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";

import type { OpenIdSettings } from "../../../src/federation/protocols/openid/openid-settings.js";
import {
  assertionFor,
  bearing,
  protocolOf,
  refusalOf,
  requestOf,
  testVerifier,
} from "../openid/test-verifier.js";
import { AUTHORITY, SERVER } from "./authority.js";
import { AUDIENCE, createIssuer, GITHUB_JOB, jobAt } from "./issuer.js";
import { serve } from "./key-server.js";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const issuer = createIssuer();
const verifier = testVerifier({ clock: { now: () => NOW } });

type Settings = Partial<Omit<OpenIdSettings, "client_id">> & { readonly client_id?: string };

function protocol(settings: Settings = {}) {
  const { settings: others, ...rest } = protocolOf(GITHUB_JOB.iss);
  const { client_id: _id, client_secret: _secret, ...shared } = others;
  return {
    ...rest,
    settings: {
      ...shared,
      token_kinds: ["workload" as const],
      audiences: [AUDIENCE],
      jwks: { keys: [issuer.jwk] },
      conditions: [{ claim: "sub", values: ["repo:octo-org/octo-repo:*"] }],
      ...settings,
    },
  };
}

const verify = (token: string, settings: Settings = {}) =>
  verifier.verify(bearing(token), protocol(settings));
const verifyJob = async (changes: JWTPayload = {}, settings: Settings = {}) =>
  verify(await issuer.sign(jobAt(NOW, changes)), settings);
const refusalOfJob = async (changes: JWTPayload, settings: Settings = {}) =>
  refusalOf(verifyJob(changes, settings));

describe("the token of a workload", () => {
  it("is accepted with its claims as attributes, until it expires", async () => {
    expect(await assertionFor(verifyJob())).toMatchObject({
      remoteId: "https://token.actions.githubusercontent.com",
      attributes: {
        "OIDC-sub": "repo:octo-org/octo-repo:ref:refs/heads/main",
        "OIDC-repository": "octo-org/octo-repo",
        "OIDC-ref": "refs/heads/main",
        HTTP_OIDC_REPOSITORY_ID: "74",
        REMOTE_USER: "repo:octo-org/octo-repo:ref:refs/heads/main",
      },
      expiresAt: NOW + 300_000,
      workload: {
        subject: "repo:octo-org/octo-repo:ref:refs/heads/main",
        isStored: true,
        maxUsers: 10_000,
        unusedDays: 30,
      },
    });
  });

  it("has members of nested claims as attributes, by their path", async () => {
    const claims = {
      sub: "system:serviceaccount:prod:deployer",
      "kubernetes.io": { namespace: "prod", serviceaccount: { name: "deployer", uid: "u1" } },
    };
    const conditions = [
      { claim: "sub", values: ["system:serviceaccount:prod:*"] },
      { claim: "kubernetes.io.serviceaccount.name", values: ["deployer"] },
    ];
    const { attributes } = await assertionFor(verifyJob(claims, { conditions }));
    expect(attributes).toMatchObject({
      "OIDC-kubernetes.io.namespace": "prod",
      "OIDC-kubernetes.io.serviceaccount.name": "deployer",
    });
    conditions[1]?.values.splice(0, 1, "other");
    expect(await refusalOfJob(claims, { conditions })).toBe(
      'workload: unexpected "kubernetes.io.serviceaccount.name": "deployer", expected "other" (conditions)',
    );
  });

  it.each([undefined, "JWT", "JOSE", "application/jwt"])("may have the type %s", async (typ) => {
    const token = await issuer.sign(jobAt(NOW), { typ });
    expect(await assertionFor(verify(token))).toMatchObject({ workload: { isStored: true } });
  });

  it("verifies with a key that SPIFFE marks by a use of its own, beside keys of other uses", async () => {
    const { alg: _alg, ...key } = issuer.jwk;
    const other = { ...createIssuer("ca").jwk, kid: "first", use: "x509-svid" };
    const jwks = { keys: [other, { ...key, use: "jwt-svid" }] };
    expect(await assertionFor(verifyJob({}, { jwks }))).toBeDefined();
    expect(await refusalOfJob({}, { jwks: { keys: [other] } })).toMatch(/^workload: no applicable key/);
  });

  it("is not read where the protocol does not accept workloads", async () => {
    const settings = { token_kinds: ["access_token" as const], client_id: "identity" };
    const server = await serve(() => ({ keys: [issuer.jwk] }));
    const refusal = await refusalOfJob({ iss: server.url }, { ...settings, issuer: server.url });
    expect(refusal).toMatch(/^access-token: the token is signed, but is no access token/);
    server.close();
  });

  it("is recognized beside access tokens, each with its own rules", async () => {
    const server = await serve(() => ({ keys: [issuer.jwk] }));
    const settings = {
      issuer: server.url,
      client_id: "identity",
      token_kinds: ["access_token" as const, "workload" as const],
      jwks: undefined as never,
    };
    expect(await assertionFor(verifyJob({ iss: server.url }, settings))).toHaveProperty("workload");
    const access = await issuer.sign(jobAt(NOW, { iss: server.url, sub: "kim" }), { typ: "at+jwt" });
    const assertion = await assertionFor(verify(access, settings));
    expect(assertion.attributes["OIDC-sub"]).toBe("kim");
    expect(assertion).not.toHaveProperty("workload");
    // An ID token of a login names the client.
    expect(await refusalOfJob({ iss: server.url, aud: "identity" }, settings)).toMatch(
      /^workload: unexpected "aud" claim value: "identity", expected "https:\/\/id.example.org"/,
    );
    server.close();
  });

  it("finds keys by discovery, or at jwks_uri without it", async () => {
    const server = await serve(() => ({ keys: [issuer.jwk] }));
    const settings = { issuer: server.url, jwks: undefined as never };
    const changes = { iss: server.url };
    expect(await assertionFor(verifyJob(changes, settings))).toBeDefined();
    expect(server.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
    server.asked.length = 0;
    expect(
      await assertionFor(verifyJob(changes, { ...settings, jwks_uri: `${server.url}/keys` })),
    ).toBeDefined();
    expect(server.asked).toEqual(["/keys"]);
    server.close();
  });
});

describe("a private certificate authority", () => {
  it("vouches for the addresses of the protocol that names it, and for no others", async () => {
    const server = await serve(() => ({ keys: [issuer.jwk] }), SERVER);
    const settings = { issuer: server.url, jwks: undefined as never };
    const changes = { iss: server.url };
    const ca_certificates = [AUTHORITY];
    expect(await assertionFor(verifyJob(changes, { ...settings, ca_certificates }))).toBeDefined();
    expect(await refusalOfJob(changes, settings)).toMatch(/^discovery: .*(?:certificate|issuer)/i);
    server.close();
  });
});

describe("a token that is rejected", () => {
  const cases: [string, JWTPayload, RegExp][] = [
    [
      "for another audience",
      { aud: "https://other.example.org" },
      /unexpected "aud" claim value: "https:\/\/other/,
    ],
    [
      "for us and another service",
      { aud: [AUDIENCE, "https://other.example.org"] },
      /expected no other \(audiences\)/,
    ],
    ["without an audience", { aud: undefined as never }, /missing required "aud" claim/],
    [
      "of another issuer",
      { iss: "https://token.actions.githubusercontent.com/x" },
      /unexpected "iss" claim value/,
    ],
    ["that is expired", { exp: NOW / 1000 - 61 }, /"exp" claim timestamp check failed: 2026-11-21T11:58:59/],
    ["that never expires", { exp: undefined as never }, /missing required "exp" claim/],
    ["that is not yet valid", { nbf: NOW / 1000 + 61 }, /"nbf" claim timestamp check failed/],
    [
      "of the future",
      { iat: NOW / 1000 + 61 },
      /"iat" is in the future: 2026-11-21T12:01:01Z, in 61 s \(leeway 60 s\)/,
    ],
    ["without a subject", { sub: undefined as never }, /missing required "sub" claim/],
    ["with an empty subject", { sub: "" }, /"sub" is empty/],
    ["with a list as subject", { sub: ["repo:octo-org/octo-repo:x"] as never }, /"sub"/],
    [
      "with a line break in its subject",
      { sub: "repo:octo-org/octo-repo:x\nrepo:a" },
      /"sub" is "repo:octo-org\/octo-repo:x\\nrepo:a", expected no control/,
    ],
    [
      "with a lone surrogate in its subject",
      { sub: "repo:octo-org/octo-repo:\uD800" },
      /well-formed Unicode/,
    ],
    [
      "with a subject of 256 characters",
      { sub: "repo:octo-org/octo-repo:".padEnd(256, "x") },
      /"sub" has 256 characters, expected a text of 1 to 255/,
    ],
    [
      "of another repository",
      { sub: "repo:octo-org/octo-repo-evil:ref:x" },
      /unexpected "sub": "repo:octo-org\/octo-repo-evil:ref:x", expected "repo:octo-org\/octo-repo:\*"/,
    ],
    ["of a repository in other case", { sub: "repo:Octo-Org/octo-repo:ref:x" }, /unexpected "sub"/],
    [
      "of a pull request",
      { sub: "repo:octo-org/octo-repo:pull_request" },
      /belongs to a pull request: "sub" is .* \(allow_pull_requests\)/,
    ],
    [
      "of a pull request's environment",
      { sub: "repo:octo-org/octo-repo:environment:prod", event_name: "pull_request_target" },
      /pull request: "event_name"/,
    ],
    [
      "of a pull request's ref",
      { sub: "repo:octo-org/octo-repo:environment:prod", ref: "refs/pull/1/merge" },
      /pull request: "ref"/,
    ],
    [
      "of a merge request of GitLab",
      { pipeline_source: "merge_request_event" },
      /pull request: "pipeline_source"/,
    ],
    [
      "of a merge request's ref of GitLab",
      { ref_path: "refs/merge-requests/1/head" },
      /pull request: "ref_path"/,
    ],
    ["that is an ID token of a login", { nonce: "n" }, /the token is an ID token of a login/],
    [
      "that is a logout token",
      { events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
      /security event/,
    ],
    ["that is bound to a key", { cnf: { jkt: "x" } }, /bound to a key/],
  ];
  it.each(cases)("is one %s", async (_, changes, reason) => {
    expect(await refusalOfJob(changes)).toMatch(reason);
  });

  it.each([
    ["is a list", { event_name: ["push", "pull_request"] }, /"event_name" is "push;pull_request"/],
    ["has a semicolon", { event_name: "push;pull_request" }, /"event_name" is a value with a semicolon/],
    ["is an object", { event_name: { name: "pull_request" } }, /"event_name" is no text/],
    ["is a list of objects", { ref: [{ name: "x" }] }, /"ref" is no text/],
    [
      "has a semicolon in a list",
      { pipeline_source: ["merge_request_event;", "push"] },
      /"pipeline_source" is/,
    ],
  ])("may be one of a pull request, whose claim %s", async (_, claims, reason) => {
    expect(await refusalOfJob(claims)).toMatch(reason);
  });

  it.each([
    [{ "kubernetes.io.namespace": "prod", "kubernetes.io": { namespace: "dev" } }],
    [{ "kubernetes.io": { namespace: "prod" }, "kubernetes.io.namespace": "prod" }],
    [{ kubernetes: { "io.namespace": "prod" }, "kubernetes.io": { namespace: "prod" } }],
  ])("fulfills no condition with a claim that is there by two spellings: %j", async (claims) => {
    const sub = { claim: "sub", values: ["repo:octo-org/*"] };
    for (const prefix of [undefined, "", "HTTP_"]) {
      const conditions = [sub, { claim: "kubernetes.io.namespace", values: ["prod"] }];
      const settings = { conditions, ...(prefix !== undefined && { attribute_prefix: prefix }) };
      expect(await refusalOfJob(claims, settings)).toBe(
        'workload: unexpected "kubernetes.io.namespace": there by two spellings, of which neither counts, expected "prod" (conditions)',
      );
    }
  });

  it("fulfills no condition on a claim by the name of an attribute", async () => {
    const sub = { claim: "sub", values: ["repo:octo-org/*"] };
    const conditions = [sub, { claim: "HTTP_REF_TYPE", values: ["branch"] }];
    expect(await refusalOfJob({}, { conditions, attribute_prefix: "" })).toMatch(/"HTTP_REF_TYPE": missing/);
  });

  it("is one of a pull request, until these are allowed", async () => {
    const claims = { sub: "repo:octo-org/octo-repo:pull_request", event_name: "pull_request" };
    expect(await assertionFor(verifyJob(claims, { allow_pull_requests: true }))).toBeDefined();
  });

  it("is one that lacks the claim of a condition, or has several values of it", async () => {
    const sub = { claim: "sub", values: ["repo:octo-org/*"] };
    const conditions = [sub, { claim: "environment", values: ["prod", "stage"] }];
    expect(await refusalOfJob({}, { conditions })).toBe(
      'workload: unexpected "environment": missing, expected "prod" or "stage" (conditions)',
    );
    expect(await refusalOfJob({ environment: ["prod", "evil"] }, { conditions })).toMatch(
      /"environment": "prod;evil"/,
    );
    expect(await assertionFor(verifyJob({ environment: ["prod"] }, { conditions }))).toBeDefined();
  });

  it.each(["logout+jwt", "dpop+jwt", "secevent+jwt"])("is one of the type %s", async (typ) => {
    expect(await refusalOf(verify(await issuer.sign(jobAt(NOW), { typ })))).toBe(
      `workload: "typ" of the token's header is "${typ}", expected "JWT" or none`,
    );
  });

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

  it("is one without a signature", async () => {
    const [, payload] = (await issuer.sign(jobAt(NOW))).split(".");
    for (const alg of ["none", "None", "nOnE"])
      expect(await refusalOf(verify(`${part({ alg, typ: "JWT" })}.${payload}.`))).not.toBe("not refused");
  });

  it("is one that is signed with the public key as a secret", async () => {
    const pem = createPublicKey(issuer.privateKey).export({ type: "spki", format: "pem" });
    const secrets = [pem, JSON.stringify(issuer.jwk), String(issuer.jwk["x"])];
    for (const secret of secrets) {
      const text = `${part({ alg: "HS256", typ: "JWT", kid: "first" })}.${part(jobAt(NOW))}`;
      const mac = createHmac("sha256", secret).update(text).digest("base64url");
      expect(await refusalOf(verify(`${text}.${mac}`))).toMatch(
        /^workload: "alg" of the token's header is "HS256", expected RS256, /,
      );
    }
  });

  it("is one that names or carries a key of its own", async () => {
    const evil = createIssuer("evil");
    const headers = [
      { kid: "first", jwk: evil.jwk },
      { kid: "first", jku: "https://evil.example.org/keys" },
      { kid: "first", x5u: "https://evil.example.org/cert" },
      { kid: "../../dev/null" },
      { kid: "evil' or '1'='1" },
      { kid: undefined, jwk: evil.jwk },
    ];
    for (const header of headers) {
      const signed = await new SignJWT(jobAt(NOW))
        .setProtectedHeader({ alg: "ES256", typ: "JWT", ...header } as never)
        .sign(evil.privateKey);
      expect(await refusalOf(verify(signed))).toMatch(
        /^workload: (?:signature verification failed|no applicable key found)/,
      );
    }
  });

  it("is one with a critical header that the service does not know", async () => {
    const token = await issuer.sign(jobAt(NOW));
    const [, payload, signature] = token.split(".");
    const header = part({ alg: "ES256", kid: "first", crit: ["b64"], b64: false });
    expect(await refusalOf(verify(`${header}.${payload}.${signature}`))).toMatch(/^workload: /);
  });

  it("is one with changed claims", async () => {
    const [header, , signature] = (await issuer.sign(jobAt(NOW))).split(".");
    const token = `${header}.${part(jobAt(NOW, { repository: "other/repo" }))}.${signature}`;
    expect(await refusalOf(verify(token))).toMatch(/^workload: signature verification failed: "alg"/);
  });

  it("is one that is encrypted", async () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const token = await new CompactEncrypt(Buffer.from(JSON.stringify(jobAt(NOW))))
      .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM" })
      .encrypt(publicKey);
    expect(await refusalOf(verify(token))).toMatch(/^workload: /);
  });

  it("is one that is opaque, or huge", async () => {
    expect(await refusalOf(verify("opaque"))).toMatch(/^workload: Invalid Compact JWS/);
    expect(await refusalOf(verify("x".repeat(16_384)))).toMatch(/^workload: Invalid Compact JWS/);
    expect(await refusalOf(verify("x".repeat(16_385)))).toBe(
      "workload: the token has 16385 characters, expected at most 16384",
    );
    const token = await issuer.sign(jobAt(NOW, { padding: "x".repeat(20_000) }));
    expect(await refusalOf(verify(token))).toMatch(
      /^workload: the token has \d+ characters, expected at most 16384/,
    );
  });

  it("is not exchanged for a login in a browser", async () => {
    expect(await refusalOf(verifier.verify(requestOf(), protocol()))).toBe(
      'request: no token of a workload in the Authorization header ("token_kinds" is ["workload"])',
    );
  });

  it("is one of a weak key at the provider", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const weak = { ...publicKey.export({ format: "jwk" }), kid: "weak", use: "sig" };
    const server = await serve(() => ({
      keys: [weak, issuer.jwk, { kty: "oct", k: "c2VjcmV0", kid: "first" }],
    }));
    const [, payload] = (await issuer.sign(jobAt(NOW, { iss: server.url }))).split(".");
    const { sign } = await import("node:crypto");
    const text = `${part({ alg: "RS256", kid: "weak" })}.${payload}`;
    const token = `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
    const settings = { issuer: server.url, jwks: undefined as never };
    expect(await refusalOf(verify(token, settings))).toMatch(
      /weak keys of the JWKS are not used: RSA key of 1024 bits/,
    );
    // The strong key beside it is used.
    expect(await assertionFor(verifyJob({ iss: server.url }, settings))).toBeDefined();
    server.close();
  });
});
