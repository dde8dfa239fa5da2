import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { AUTH, asForwarded, loginServer, NAMED, asserted, SECRET, type LoginServer } from "./login-server.js";

describe(`an assertion of a front end on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
  });
  afterAll(() => service.close());

  /** Settings of the protocol `mapped`. */
  const set = async (settings: object | null) => {
    const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    const body = { protocol: { mapping_id: "people", settings } };
    expect((await service.ask("PATCH", path, { body })).status).toBe(200);
  };
  const proved = { "x-forwarded-assertion-secret": SECRET };

  it.each([
    [
      "from another address",
      asForwarded(asserted("u")),
      "192.0.2.7",
      'peer address "192.0.2.7" is not among IDENTITY_FORWARDED_ASSERTION_FROM',
    ],
    [
      "from another address that a proxy's header hides",
      { ...asForwarded(asserted("u")), "x-forwarded-for": "127.0.0.1" },
      "192.0.2.7",
      'peer address "192.0.2.7" is not among IDENTITY_FORWARDED_ASSERTION_FROM',
    ],
    [
      "with a wrong secret",
      { ...asForwarded(asserted("u")), "x-forwarded-assertion-secret": `${SECRET}x` },
      "127.0.0.1",
      "invalid or missing secret in the header x-forwarded-assertion-secret",
    ],
    [
      "without a secret",
      { "x-assertion": asForwarded(asserted("u"))["x-assertion"] ?? "" },
      "127.0.0.1",
      "invalid or missing secret in the header x-forwarded-assertion-secret",
    ],
    ["without an assertion", proved, "127.0.0.1", "the request has no header X-Assertion"],
    [
      "without a user",
      { ...proved, "x-assertion": "e30=" },
      "127.0.0.1",
      'assertion carries no remote id (the attribute that IDENTITY_REMOTE_ID_ATTRIBUTE names is missing), expected one of the provider\'s remote_ids: "https://idp.example.org"',
    ],
    [
      "that is no base64",
      { ...proved, "x-assertion": "{}" },
      "127.0.0.1",
      "the assertion is no JSON in base64",
    ],
    [
      "with a name that has a null character",
      asForwarded(asserted("u\0admin")),
      "127.0.0.1",
      'mapping "people", values: U+0000 is not allowed',
    ],
    [
      "with a name that has a control character",
      asForwarded(asserted("u\u001B[2Kadmin")),
      "127.0.0.1",
      "the user's name contains the control character U+001B",
    ],
    ["that is a list", { ...proved, "x-assertion": "W10=" }, "127.0.0.1", "the assertion is no JSON object"],
  ])("is not taken %s", async (_, headers, address, reason) => {
    const { status } = await service.ask("GET", AUTH, { headers, address });
    expect(status).toBe(401);
    expect(service.refusals.at(-1)).toMatchObject({ reason });
  });

  it("is not taken from a client's own headers", async () => {
    await service.map([{ ...NAMED, remote: [{ type: "HTTP_X_USER" }] }]);
    expect((await service.login(asserted("u"), AUTH, { headers: { "x-user": "admin" } })).status).toBe(401);
    await service.map([NAMED]);
  });

  it("may be in another header, with a prefix for its attributes", async () => {
    await set({ type: "forwarded", header: "X-Other", attribute_prefix: "OIDC-" });
    await service.map([{ ...NAMED, remote: [{ type: "OIDC-sub" }] }]);
    const value = Buffer.from(JSON.stringify({ sub: "vic", IDP: "x" })).toString("base64");
    const headers = { ...proved, "x-other": value };
    // The attribute that names the provider has the prefix too.
    expect((await service.ask("GET", AUTH, { headers })).status).toBe(401);
    const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    const body = { protocol: { mapping_id: "people", remote_id_attribute: "OIDC-iss" } };
    await service.ask("PATCH", path, { body });
    const claims = { sub: "vic", iss: "https://idp.example.org" };
    const right = Buffer.from(JSON.stringify(claims)).toString("base64");
    const { status, body: shown } = await service.ask("GET", AUTH, {
      headers: { ...proved, "x-other": right },
    });
    expect([status, shown.token.user.name]).toEqual([201, "vic"]);
    await service.ask("DELETE", path);
    await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
  });

  it("may be in headers of its own, under the names that web servers give them", async () => {
    await set({ type: "forwarded", header_prefix: "X-Shib-" });
    await service.map([{ ...NAMED, remote: [{ type: "HTTP_X_SHIB_EPPN" }] }]);
    const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    const body = { protocol: { mapping_id: "people", remote_id_attribute: "HTTP_X_SHIB_IDP" } };
    await service.ask("PATCH", path, { body });
    // Node reads headers as Latin-1; the provider has sent UTF-8.
    const headers = {
      ...proved,
      "x-shib-eppn": Buffer.from("José").toString("latin1"),
      "x-shib-idp": "https://idp.example.org",
    };
    const { status, body: shown } = await service.ask("GET", AUTH, { headers });
    expect([status, shown.token.user.name]).toEqual([201, "José"]);
    await service.ask("DELETE", path);
    await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
    await service.map([NAMED]);
  });

  describe("in headers of its own", () => {
    const path = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped";
    const use = async (header_prefix: string, attribute: string) => {
      const rules = [{ ...NAMED, remote: [{ type: `HTTP_${attribute}EPPN` }] }];
      await service.map(rules);
      const protocol = {
        mapping_id: "people",
        remote_id_attribute: `HTTP_${attribute}IDP`,
        settings: { type: "forwarded", header_prefix },
      };
      expect((await service.ask("PATCH", path, { body: { protocol } })).status).toBe(200);
    };
    const login = async (headers: Readonly<Record<string, string | string[]>>) => {
      const { status } = await service.ask("GET", AUTH, { headers: { ...proved, ...headers } });
      return status === 201 ? status : service.refusals.at(-1)?.["reason"];
    };
    const good = { "X-Shib-Idp": "https://idp.example.org", "X-Shib-Eppn": "kim" };
    afterAll(async () => {
      await service.ask("DELETE", path);
      await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
      await service.map([NAMED]);
    });

    it.each([
      ["twice", { "X-Shib-Eppn": ["kim", "admin"] }, "duplicate header for the attribute of x-shib-eppn"],
      ["twice with one value", { "X-Shib-Eppn": ["kim", "kim"] }, /duplicate header for the attribute/],
      ["in two spellings", { X_Shib_Eppn: "admin" }, /x_shib_eppn/],
      ["in two spellings within", { "X-Shib-Given-Name": "a", "X-Shib-Given_Name": "b" }, /given.name/],
      [
        "with an underscore alone",
        { "X-Shib-Given_Name": "b" },
        'header x-shib-given_name has an underscore, and header_prefix "X-Shib-" has none',
      ],
    ])("takes no attribute %s", async (_, headers, reason) => {
      await use("X-Shib-", "X_SHIB_");
      expect(await login(good)).toBe(201);
      expect(await login({ ...good, ...headers })).toMatch(reason);
    });

    it("takes underscores where the prefix has them, as that of mod_auth_openidc, and one spelling", async () => {
      await use("OIDC_CLAIM_", "OIDC_CLAIM_");
      const claims = { OIDC_CLAIM_idp: "https://idp.example.org", OIDC_CLAIM_eppn: "kim" };
      expect(await login(claims)).toBe(201);
      expect(await login({ ...claims, "OIDC-CLAIM-eppn": "admin" })).toMatch(/duplicate header/);
      // The spelling that the front end does not write is no attribute.
      const { OIDC_CLAIM_eppn: _, ...others } = claims;
      expect(await login({ ...others, "OIDC-CLAIM-eppn": "admin" })).toMatch(/no-rule-matched/);
    });
  });

  it("rejects a duplicate assertion or secret", async () => {
    const headers = asForwarded(asserted("kim"));
    for (const name of ["x-assertion", "x-forwarded-assertion-secret"]) {
      const value = headers[name] ?? "";
      const { status } = await service.ask("GET", AUTH, {
        headers: { ...headers, [name]: [value, value] },
      });
      expect([status, service.refusals.at(-1)]).toMatchObject([
        401,
        { reason: `duplicate header ${name}: 2 times` },
      ]);
    }
  });

  it("logs in at /v3/auth/tokens too, for a scope", async () => {
    const auth = (mapped: object) => ({ auth: { identity: { methods: ["mapped"], mapped } } });
    const post = (mapped: object, headers: Record<string, string> = asForwarded(asserted("wim"))) =>
      service.ask("POST", "/v3/auth/tokens", { headers, body: auth(mapped) });
    const { status, body } = await post({ identity_provider: "idp", protocol: "mapped" });
    expect([status, body.token.methods]).toEqual([201, ["mapped"]]);
    expect((await post({ identity_provider: "idp", protocol: "mapped" }, {})).status).toBe(401);
    expect((await post({ protocol: "mapped" })).body.error.message).toMatch(
      /^Expecting to find identity_provider in mapped\. /,
    );
    expect((await post({ identity_provider: "idp" })).status).toBe(400);
  });

  it("is nothing where it is not configured", async () => {
    const plain = await loginServer(sqliteDatabases, {});
    const { status } = await plain.login(asserted("x"));
    expect(status).toBe(401);
    expect(plain.refusals.at(-1)).toMatchObject({
      reason: "no front end is trusted (IDENTITY_FORWARDED_ASSERTION_SECRET is not set)",
    });
    await plain.close();
  });
});
