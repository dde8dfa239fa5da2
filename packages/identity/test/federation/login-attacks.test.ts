/**
 * Attacks on logins at the service as a whole: the login is rejected, nothing is stored, and only the log has the reason.
 *
 * The attacks are defined with the tests of the code that they reach first: `saml/attacks.ts`, `openid/bearer-token.test.ts`.
 */
import { createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { RefusalFacts } from "../../src/federation/federation-errors.js";
import { sqliteDatabases } from "../databases.js";
import {
  attackedService,
  authPath,
  authUrl,
  DASHBOARD,
  FRONT_END_SECRET,
  type AttackedService,
  type Sent,
} from "./attacked-service.js";
import {
  AUDIENCE,
  CLIENT_ID,
  signingKeys,
  startProvider,
  type TestProvider,
} from "./openid/test-provider.js";
import { ATTACKS } from "./saml/attacks.js";
import { NOW, signedResponse } from "./saml/test-provider.js";

const NOT_IN = JSON.stringify({
  error: { code: 401, message: "The request you have made requires authentication.", title: "Unauthorized" },
});
/** The outcome of an attack: 401, nothing stored, and the reason in the log only. */
const nothing = (step: string | RegExp = /./) => ({
  answer: [401, NOT_IN],
  given: [],
  isStored: false,
  told: [{ step: expect.stringMatching(step), reason: expect.stringMatching(/./) }],
  valuesInLog: null,
  audit: [expect.objectContaining({ action: "authenticate", outcome: "refused" })],
});
/** Values that are in these logins, which no line of the log may have. */
const VALUES = /alice|mallory|kim|staff|ops|boss/;

const WEBSSO = "/v3/auth/OS-FEDERATION";

const asForm = (xml: string): Pick<Sent, "method" | "headers" | "payload"> => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  payload: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64") }).toString(),
});

interface ForwardedAttack {
  readonly name: string;
  readonly protocol?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly address?: string;
}

describe(`attacks on the service on ${sqliteDatabases.name}`, () => {
  let service: AttackedService;
  let op: TestProvider;
  let now = NOW;
  beforeAll(async () => {
    op = await startProvider(authUrl("openid"));
    service = await attackedService(sqliteDatabases, { now: () => now, issuer: op.issuer });
  });
  afterEach(() => op.answers.clear());
  afterAll(async () => {
    await service.close();
    await op.close();
  });

  /** Begins a login in a browser. */
  async function begin(protocol: string) {
    const { headers, status } = await service.send({ url: authPath(protocol) });
    expect(status).toBe(302);
    const [cookie = ""] = String(headers["set-cookie"]).split(";");
    return { cookie, location: new URL(String(headers["location"])) };
  }

  /** Sends an attack. @returns Its outcome. */
  async function outcomeOf(sent: Sent) {
    const before = await service.stored();
    const { status, body, headers, lines } = await service.send(sent);
    const told = lines.flatMap(({ federation }) => (federation ?? []) as RefusalFacts | []);
    return {
      answer: [status, body],
      given: ["x-subject-token", "set-cookie", "location"].filter((name) => name in headers),
      isStored: (await service.stored()) !== before,
      told: told.map(({ step, reason }) => ({ step, reason })),
      valuesInLog: VALUES.exec(JSON.stringify(lines)),
      audit: lines.flatMap(({ audit }) => audit ?? []),
    };
  }

  it("accept logins that are no attack", async () => {
    const xml = signedResponse(
      { ...SAML_PARTS, assertionId: "_good", inResponseTo: undefined },
      { of: "_good" },
    );
    const envelope = `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>${xml}</S:Body></S:Envelope>`;
    const headers = { "content-type": "application/vnd.paos+xml" };
    const before = await service.stored();
    const { status, lines } = await service.send({
      method: "POST",
      url: authPath("saml2"),
      headers,
      payload: envelope,
    });
    expect(status).toBe(201);
    expect(await service.stored()).not.toBe(before);
    expect(lines.map(({ audit }) => audit).filter(Boolean)).toMatchObject([
      { action: "authenticate", outcome: "done", target: { idp_id: "acme", protocol_id: "saml2" } },
    ]);
    expect((await service.send({ url: authPath("openid"), headers: bearing(await good()) })).status).toBe(
      201,
    );
  });

  it("beginning logins stores nothing", async () => {
    const before = await service.stored();
    for (const protocol of ["saml2", "openid", "saml2"]) await begin(protocol);
    const paos = { accept: "application/vnd.paos+xml", paos: 'ver="urn:liberty:paos:2003-08"' };
    expect((await service.send({ url: authPath("saml2"), headers: paos })).status).toBe(200);
    expect(await service.stored()).toBe(before);
  });

  const SAML_PARTS = { recipient: authUrl("saml2"), destination: authUrl("saml2") };
  const small = ATTACKS.filter(({ name }) => !name.startsWith("50 MB"));

  it.each(small)("SAML: $name", async ({ make }) => {
    const { cookie, location } = await begin("saml2");
    const asked = requestIdOf(location);
    const { headers, ...sent } = asForm(make({ ...SAML_PARTS, inResponseTo: asked }));
    expect(await outcomeOf({ url: authPath("saml2"), ...sent, headers: { ...headers, cookie } })).toEqual(
      nothing(),
    );
  });

  it("SAML: 50 MB of XML are not taken in", async () => {
    const before = await service.stored();
    const { status, body } = await service.send({ url: authPath("saml2"), ...asForm("<a>".repeat(1e6)) });
    expect([status, JSON.parse(body).error.title]).toEqual([413, "Request Entity Too Large"]);
    expect(await service.stored()).toBe(before);
  });

  it("SAML: state of another browser", async () => {
    const { location } = await begin("saml2");
    const parts = { ...SAML_PARTS, assertionId: "_other", inResponseTo: requestIdOf(location) };
    const other = await begin("saml2");
    const { headers, ...sent } = asForm(signedResponse(parts, { of: "_other" }));
    expect(
      await outcomeOf({ url: authPath("saml2"), ...sent, headers: { ...headers, cookie: other.cookie } }),
    ).toEqual(nothing());
  });

  const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
  const seconds = NOW / 1000;
  /** That of the library which reads ID tokens first. */
  const clock = () => Math.floor(Date.now() / 1000);
  const claims = (others: object = {}) => ({
    iss: op.issuer,
    sub: "kim",
    aud: AUDIENCE,
    client_id: "cli",
    scope: "openid",
    email: "kim@example.org",
    iat: seconds,
    exp: seconds + 300,
    ...others,
  });
  const good = () => op.keys.sign(claims());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const TOKENS: readonly (readonly [string, () => string | Promise<string>])[] = [
    ["alg none", () => `${encode({ alg: "none", typ: "at+jwt" })}.${encode(claims())}.`],
    [
      "HS256 with the public key",
      () => {
        const pem = createPublicKey({ key: op.keys.jwk, format: "jwk" }).export({
          type: "spki",
          format: "pem",
        });
        const signed = `${encode({ alg: "HS256", kid: "first", typ: "at+jwt" })}.${encode(claims())}`;
        return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
      },
    ],
    ["wrong aud", () => op.keys.sign(claims({ aud: "https://other.example.org" }))],
    ["wrong iss", () => op.keys.sign(claims({ iss: "https://other.example.org" }))],
    ["expired", () => op.keys.sign(claims({ exp: seconds - 61 }))],
    ["not valid yet", () => op.keys.sign(claims({ nbf: seconds + 120 }))],
    ["without an end", () => op.keys.sign(claims({ exp: undefined }))],
    [
      "a header that has to be understood",
      () => {
        const header = { alg: "RS256", kid: "first", typ: "at+jwt", crit: ["x"], x: 1 };
        const signed = `${encode(header)}.${encode(claims())}`;
        const key = createPrivateKey({ key: op.keys.jwk, format: "jwk" });
        return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
      },
    ],
    ["key swap", () => signingKeys("first").sign(claims())],
    [
      "embedded key",
      () => {
        const forged = signingKeys("forged");
        const { kty, n, e } = forged.jwk;
        return forged.sign(claims(), { jwk: { kty, n, e }, jku: `${op.issuer}/jwks`, x5u: op.issuer });
      },
    ],
    [
      "id token as access token",
      () => op.keys.sign(claims({ aud: CLIENT_ID, scope: undefined, client_id: undefined }), { typ: "JWT" }),
    ],
    ["a token within a token", async () => op.keys.sign({ inner: await good() }, { cty: "JWT" })],
    ["a name with a null character", () => op.keys.sign(claims({ sub: "boss\0kim" }))],
    ["a name with a line end", () => op.keys.sign(claims({ sub: "boss\nkim" }))],
    ["a name that rules would take for two", () => op.keys.sign(claims({ sub: "kim;boss" }))],
    ["opaque and unknown", () => "made-up"],
  ];

  it.each(TOKENS)("OpenID Connect: %s", async (_, make) => {
    expect(await outcomeOf({ url: authPath("openid"), headers: bearing(await make()) })).toEqual(nothing());
  });

  it("OpenID Connect: a symmetric key among the provider's", async () => {
    const secret = Buffer.alloc(32, 1).toString("base64url");
    op.answers.set("/jwks", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: [{ kty: "oct", k: secret, kid: "oct", alg: "HS256" }] }));
    });
    const signed = `${encode({ alg: "HS256", kid: "oct", typ: "at+jwt" })}.${encode(claims())}`;
    const mac = createHmac("sha256", Buffer.alloc(32, 1)).update(signed).digest("base64url");
    expect(await outcomeOf({ url: authPath("openid"), headers: bearing(`${signed}.${mac}`) })).toEqual(
      nothing(),
    );
  });

  it("OpenID Connect: state of another browser", async () => {
    const { location } = await begin("openid");
    const state = location.searchParams.get("state") ?? "";
    const other = await begin("openid");
    const url = `${authPath("openid")}?code=c&state=${state}`;
    expect(await outcomeOf({ url, headers: { cookie: other.cookie } })).toEqual(nothing(/^state$/));
  });

  it("OpenID Connect: a code that the provider has not given", async () => {
    const { location, cookie } = await begin("openid");
    const state = location.searchParams.get("state") ?? "";
    const iss = encodeURIComponent(op.issuer);
    const url = `${authPath("openid")}?code=made-up&state=${state}&iss=${iss}`;
    expect(await outcomeOf({ url, headers: { cookie } })).toEqual(nothing(/^code$/));
  });

  it.each(["", "&iss=https%3A%2F%2Fevil.example.org"])(
    "OpenID Connect: an answer that names no provider, or another one (%j)",
    async (iss) => {
      const { location, cookie } = await begin("openid");
      const state = location.searchParams.get("state") ?? "";
      const before = op.asked.length;
      expect(
        await outcomeOf({ url: `${authPath("openid")}?code=c&state=${state}${iss}`, headers: { cookie } }),
      ).toEqual(nothing());
      // The code is sent to no one.
      expect(op.asked.slice(before)).toEqual([]);
    },
  );

  it("OpenID Connect: nonce of another login", async () => {
    const { location, cookie } = await begin("openid");
    const parameters = location.searchParams;
    const idToken = async (nonce: string) => {
      const body = { iss: op.issuer, sub: "kim", aud: CLIENT_ID, nonce, iat: clock(), exp: clock() + 60 };
      return op.keys.sign(body, { typ: "JWT" });
    };
    op.answers.set("/token", async (_, response) => {
      response.setHeader("content-type", "application/json");
      const id_token = await idToken("another");
      response.end(JSON.stringify({ access_token: "a", token_type: "Bearer", id_token }));
    });
    const query = { code: "c", state: parameters.get("state") ?? "", iss: op.issuer };
    const url = `${authPath("openid")}?${new URLSearchParams(query).toString()}`;
    expect(await outcomeOf({ url, headers: { cookie } })).toEqual(nothing(/^code$/));
  });

  const believed = { "x-forwarded-assertion-secret": FRONT_END_SECRET };
  const assertion = Buffer.from(JSON.stringify({ REMOTE_USER: "boss", IDP: "x" })).toString("base64");
  const FORWARDED: readonly ForwardedAttack[] = [
    {
      name: "from an untrusted address",
      headers: { ...believed, "x-assertion": assertion },
      address: "192.0.2.7",
    },
    {
      name: "from an untrusted address behind X-Forwarded-For",
      headers: { ...believed, "x-assertion": assertion, "x-forwarded-for": "127.0.0.1" },
      address: "192.0.2.7",
    },
    { name: "without the secret", headers: { "x-assertion": assertion } },
    {
      name: "before that of the front end",
      headers: { ...believed, "x-assertion": `${assertion}, ${assertion}` },
    },
    {
      name: "in another spelling than the front end's",
      protocol: "prefixed",
      headers: { ...believed, "x-shib-remote_user": "boss", "x-shib-remote-user": "kim" },
    },
  ];

  it.each(FORWARDED)(
    "header assertion $name",
    async ({ protocol = "mapped", headers, address = "127.0.0.1" }) => {
      expect(await outcomeOf({ url: authPath(protocol), headers, address })).toEqual(nothing());
    },
  );

  it.each([
    "https://evil.example.org/",
    "https://dash.example.org@evil.example.org/auth/websso/",
    "https://dash.example.org:444/auth/websso/",
    "https://dash.example.org./auth/websso/",
    "https://dash.example.org/auth/websso",
    "https://dash.example.org/auth/websso/?x",
    "https://dash.example.org\\@evil.example.org/auth/websso/",
    " https://dash.example.org/auth/websso/",
    "//dash.example.org/auth/websso/",
    "javascript:alert(1)//https://dash.example.org/auth/websso/",
  ])("redirect to an untrusted origin: %s", async (origin) => {
    const query = `?origin=${encodeURIComponent(origin)}`;
    const headers = { ...believed, "x-assertion": assertion };
    for (const url of [
      `${WEBSSO}/websso/mapped`,
      `${WEBSSO}/identity_providers/acme/protocols/mapped/websso`,
    ])
      expect(await outcomeOf({ url: url + query, headers, address: "127.0.0.1" })).toEqual(nothing());
  });

  it("a page that carries a token can't be kept, framed, or made to run anything else", async () => {
    const { status, headers, body } = await service.send({
      url: `${WEBSSO}/identity_providers/acme/protocols/mapped/websso?origin=${encodeURIComponent(DASHBOARD)}`,
      headers: { ...believed, "x-assertion": assertion },
      address: "127.0.0.1",
    });
    expect(status).toBe(200);
    expect(body).toContain(`action="${DASHBOARD}"`);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
  });

  it.each(["http://169.254.169.254/latest/meta-data/", "https://[::ffff:10.0.0.1]/jwks", "http://0.0.0.0/"])(
    "OpenID Connect: JWKS pointing inward, to %s",
    async (address) => {
      // The provider's metadata is downloaded again.
      now += 300_000;
      op.answers.set("/.well-known/openid-configuration", (_, response) =>
        response.end(JSON.stringify({ issuer: op.issuer, jwks_uri: address })),
      );
      const token = await op.keys.sign(claims({ exp: seconds + 3000 }));
      expect(await outcomeOf({ url: authPath("openid"), headers: bearing(token) })).toEqual(
        nothing(/^(?:discovery|access-token)$/),
      );
    },
  );
});

/** The id that a browser takes to the provider. */
function requestIdOf(location: URL): string {
  const xml = inflateRawSync(
    Buffer.from(location.searchParams.get("SAMLRequest") ?? "", "base64"),
  ).toString();
  return /\bID="([^"]*)"/.exec(xml)?.[1] ?? "";
}
