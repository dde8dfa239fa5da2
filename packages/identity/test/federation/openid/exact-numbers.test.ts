/** Numbers and subjects of a provider's JSON, by every way in which claims arrive: two users never become one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openIdProtocol } from "../../../src/federation/protocols/openid/index.js";
import { readPasted } from "../../../src/workbench/dry-run/pasted-assertion.js";
import { AUDIENCE, CLIENT_ID, signingKeys, startProvider, type TestProvider } from "./test-provider.js";
import { assertionFor, bearing, protocolOf, refusalOf, testVerifier } from "./test-verifier.js";

let op: TestProvider;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());

const verifier = testVerifier();
const verify = (token: string, settings = {}) =>
  verifier.verify(bearing(token), protocolOf(op.issuer, settings));

/** Valid claims with further members. The last of duplicate members counts (RFC 7519, 4). */
const payload = (members: string) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: op.issuer,
    sub: "kim",
    aud: AUDIENCE,
    azp: "cli",
    email: "k@example.org",
    iat: now,
    exp: now + 300,
  };
  return JSON.stringify(claims).replace(/\}$/, `,${members}}`);
};

type Handler = Parameters<TestProvider["answers"]["set"]>[1];
const answering =
  (text: string, type = "application/json"): Handler =>
  (_, response) => {
    response.setHeader("content-type", type);
    response.end(text);
  };

const signedIntrospection = (token: string) => answering(token, "application/token-introspection+jwt");

/** @see RFC 9701, 5 */
const signedAnswer = (
  members: string,
  {
    typ = "token-introspection+jwt",
    keys = op.keys,
    aud = CLIENT_ID,
    iat = Math.floor(Date.now() / 1000),
  } = {},
) => {
  const claims = `{"active":true,"token_type":"Bearer",${payload(members).slice(1)}`;
  return keys.signText(`{"iss":"${op.issuer}","aud":"${aud}","iat":${iat},"token_introspection":${claims}}`, {
    typ,
  });
};

/** What a login with the members has as attributes. */
const WAYS: Readonly<Record<string, (members: string) => Promise<object>>> = {
  "an access token": async (members) =>
    (await assertionFor(verify(await op.keys.signText(payload(members))))).attributes,
  introspection: async (members) => {
    op.answers.set(
      "/token/introspection",
      answering(`{"active":true,"token_type":"Bearer",${payload(members).slice(1)}`),
    );
    return (await assertionFor(verify("opaque"))).attributes;
  },
  "signed introspection": async (members) => {
    op.answers.set("/token/introspection", signedIntrospection(await signedAnswer(members)));
    return (await assertionFor(verify("opaque"))).attributes;
  },
  "token info": async (members) => {
    const google = { token_info_url: `${op.issuer}/info`, audiences: [AUDIENCE] };
    op.answers.set("/info", answering(payload(members)));
    op.answers.set("/me", answering('{"sub":"kim"}'));
    return (await assertionFor(verify("opaque", google))).attributes;
  },
  userinfo: async (members) => {
    op.answers.set("/me", answering(`{"sub":"kim",${members}}`));
    return (await assertionFor(verify(await op.keys.signText(payload('"x":1')), { userinfo: "always" })))
      .attributes;
  },
  "signed userinfo": async (members) => {
    const signed = await op.keys.signText(`{"sub":"kim",${members}}`);
    op.answers.set("/me", answering(signed, "application/jwt"));
    return (await assertionFor(verify(await op.keys.signText(payload('"x":1')), { userinfo: "always" })))
      .attributes;
  },
  "the token of a workload": async (members) => {
    const settings = { token_kinds: ["workload"] as const, conditions: [{ claim: "sub", values: ["kim"] }] };
    const token = await op.keys.signText(payload(members).replace(',"azp":"cli"', ""), { typ: "JWT" });
    return (await assertionFor(verify(token, { ...settings, audiences: [AUDIENCE] }))).attributes;
  },
  "a pasted JWT": async (members) =>
    readPasted(await op.keys.signText(payload(members)), [openIdProtocol]).attributes,
  "pasted claims": async (members) => readPasted(payload(members), [openIdProtocol]).attributes,
};

describe.each(Object.entries(WAYS))("by %s", (_, attributesOf) => {
  it("numbers beyond 2^53 merge no users: they keep their exact text", async () => {
    const members = [
      '"uid":9007199254740993',
      '"ids":[100002348117421471,{"x":1},100002348117421473]',
      '"a":{"b":{"n":18446744073709551615}}',
      '"many":1e400',
      '"part":0.10000000000000000555',
      '"one":1.0',
      '"thousand":1e3',
      '"zero":-0',
    ];
    expect(await attributesOf(members.join())).toMatchObject({
      "OIDC-uid": "9007199254740993",
      "OIDC-ids": "100002348117421471;100002348117421473",
      HTTP_OIDC_IDS: "100002348117421471;100002348117421473",
      "OIDC-a.b.n": "18446744073709551615",
      "OIDC-many": "1e400",
      "OIDC-part": "0.10000000000000000555",
      "OIDC-one": "1",
      "OIDC-thousand": "1000",
      "OIDC-zero": "0",
    });
  });

  it("the last of duplicate members counts, as for the library that validates them", async () => {
    expect(await attributesOf('"uid":9007199254740993,"uid":9007199254740995')).toMatchObject({
      "OIDC-uid": "9007199254740995",
    });
  });
});

const SUBJECTS = [
  "5",
  "100002348117421473",
  '["kim"]',
  '{"id":"kim"}',
  "null",
  "true",
  '""',
  '" "',
  `"${"x".repeat(256)}"`,
];

describe("a subject that is no text of 1 to 255 characters is refused", () => {
  it.each(SUBJECTS)("in an access token: %s", async (sub) => {
    expect(await refusalOf(verify(await op.keys.signText(payload(`"sub":${sub}`))))).toMatch(
      /^access-token: "sub" /,
    );
  });

  it.each(SUBJECTS)("in introspection: %s", async (sub) => {
    op.answers.set(
      "/token/introspection",
      answering(`{"active":true,"token_type":"Bearer",${payload(`"sub":${sub}`).slice(1)}`),
    );
    expect(await refusalOf(verify("opaque"))).toMatch(/^access-token: "sub" /);
  });

  it.each(SUBJECTS)("in signed introspection: %s", async (sub) => {
    op.answers.set("/token/introspection", signedIntrospection(await signedAnswer(`"sub":${sub}`)));
    expect(await refusalOf(verify("opaque"))).toMatch(/^access-token: "sub" /);
  });

  it.each(SUBJECTS)("in the token of a workload: %s", async (sub) => {
    const settings = { token_kinds: ["workload"] as const, conditions: [{ claim: "azp", values: ["cli"] }] };
    const token = await op.keys.signText(payload(`"sub":${sub}`), { typ: "JWT" });
    expect(await refusalOf(verify(token, { ...settings, audiences: [AUDIENCE] }))).toMatch(
      /^workload: "sub" /,
    );
  });

  it.each(SUBJECTS)("in userinfo: %s", async (sub) => {
    op.answers.set("/me", answering(`{"sub":${sub},"email":"boss@example.org"}`));
    const token = await op.keys.signText(payload('"x":1'));
    expect(await refusalOf(verify(token, { userinfo: "always" }))).toMatch(/^userinfo: /);
  });

  it.each(SUBJECTS)("in a pasted JWT: %s", async (sub) => {
    const token = await op.keys.signText(payload(`"sub":${sub}`));
    expect(() => readPasted(token, [openIdProtocol])).toThrow(/A login rejects the claims: "sub"/);
  });

  it("in an access token that has none", async () => {
    const token = await op.keys.signText(payload('"x":1').replace('"sub":"kim",', ""));
    expect(await refusalOf(verify(token))).toMatch(/"sub"/);
  });
});

it.each(['"exp":1e400', '"iat":-1e400', '"nbf":-1e400', '"auth_time":1e999'])(
  "a time that is no finite number is refused: %s",
  async (members) => {
    expect(await refusalOf(verify(await op.keys.signText(payload(members))))).toMatch(/^access-token: "/);
  },
);

it("a time with more digits than a double holds is a time", async () => {
  const seconds = `${Math.floor(Date.now() / 1000) + 60}.123456789012345678`;
  const token = await op.keys.signText(payload(`"exp":${seconds}`));
  expect((await assertionFor(verify(token))).attributes).toMatchObject({ "OIDC-sub": "kim" });
});

describe("userinfo", () => {
  const login = async (answer: Handler, settings = { userinfo: "always" as const }) => {
    op.answers.set("/me", answer);
    return verify(await op.keys.signText(payload('"x":1')), settings);
  };
  const me = (claims: object) => op.keys.signText(JSON.stringify({ sub: "kim", groups: ["a"], ...claims }));

  it("that is signed is verified with the provider's keys (OIDC Core 5.3.4)", async () => {
    const right = await me({ iss: op.issuer, aud: CLIENT_ID });
    const { attributes } = await assertionFor(login(answering(right, "application/jwt; charset=utf-8")));
    expect(attributes).toMatchObject({ "OIDC-groups": "a" });
    const [header, , signature] = right.split(".");
    const forged = Buffer.from(JSON.stringify({ sub: "kim", groups: ["admins"] })).toString("base64url");
    expect(await refusalOf(login(answering(`${header}.${forged}.${signature}`, "application/jwt")))).toMatch(
      /^userinfo: .*signature verification failed/,
    );
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    expect(await refusalOf(login(answering(`${none}.${forged}.`, "application/jwt")))).toMatch(/^userinfo: /);
  });

  it.each([
    [{ iss: "https://other.example.org" }, /"iss"/],
    [{ aud: "other" }, /"aud"/],
    [{ aud: [] }, /"aud"/],
    [{ sub: "boss" }, /"sub"/],
    [{ exp: 1 }, /"exp"/],
    [{ iat: 9_999_999_999 }, /"iat" is in the future: 2286-/],
  ])("that is signed is refused with %j", async (claims, reason) => {
    expect(await refusalOf(login(answering(await me(claims), "application/jwt")))).toMatch(reason);
  });

  it("that is encrypted is refused with the reason", async () => {
    const header = Buffer.from('{"alg":"RSA-OAEP","enc":"A256GCM"}').toString("base64url");
    expect(await refusalOf(login(answering(`${header}.a.b.c.d`, "application/jwt")))).toMatch(
      /userinfo is encrypted \(JWE\)/,
    );
  });

  it("of another user is refused", async () => {
    expect(await refusalOf(login(answering('{"sub":"boss"}')))).toMatch(/"sub"/);
  });
});

describe("signed introspection is refused", () => {
  it.each([
    ["by another key", { keys: signingKeys("first") }, /signature verification failed/],
    ["for another client", { aud: "other" }, /unexpected "aud" claim value: "other"/],
    ["issued in the future", { iat: 9_999_999_999 }, /"iat" is in the future: 2286-/],
    ["of another type", { typ: "at+jwt" }, /expected "token-introspection\+jwt"/],
  ])("%s", async (_, change, reason) => {
    op.answers.set("/token/introspection", signedIntrospection(await signedAnswer('"x":1', change)));
    expect(await refusalOf(verify("opaque"))).toMatch(reason);
  });
});
