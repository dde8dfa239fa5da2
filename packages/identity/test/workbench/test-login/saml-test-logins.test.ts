/** Test logins with SAML 2.0: in a browser, and with messages that the caller has. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { createBrowser, type TestBrowser } from "../../federation/openid/test-browser.js";
import {
  failureResponse,
  inEnvelope,
  ISSUER,
  newSigner,
  NOW,
  AUDIENCE as SP_ENTITY,
  signedResponse,
  type ResponseParts,
} from "../../federation/saml/test-provider.js";
import { SAML, SAML_AUTH, testLoginServer, type TestLoginServer } from "./test-login-service.js";

// JSON of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const failureOf = ({ result }: Json): Json => result.steps.find((step: Json) => step.status === "failed");
const passedOf = ({ result }: Json): string[] =>
  result.steps.filter(({ status }: Json) => status === "passed").map(({ step }: Json) => step);

describe(`test logins with SAML, with ${sqliteDatabases.name}`, () => {
  let server: TestLoginServer;
  let assertions = 0;
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases, NOW);
  });
  afterAll(() => server.close());

  interface Begun {
    readonly id: string;
    /** Of the AuthnRequest. */
    readonly requestId: string;
    readonly browser: TestBrowser;
  }

  async function begin(browser = createBrowser()): Promise<Begun> {
    const created = await server.test(SAML);
    const { login_url: url, id } = created.body.test_login;
    browser.keep(url, [created.headers["set-cookie"] ?? []].flat() as string[]);
    const { text, headers } = await server.visit(browser, url);
    const { inflateRawSync } = await import("node:zlib");
    const sent = new URL(String(headers["location"])).searchParams.get("SAMLRequest") ?? "";
    const xml = inflateRawSync(Buffer.from(sent, "base64")).toString();
    const requestId = /\bID="([^"]+)"/.exec(xml + text)?.[1] ?? "";
    return { id, requestId, browser };
  }

  /** Signs a Response to this service. */
  function answer(parts: ResponseParts = {}, signer?: ReturnType<typeof newSigner>): string {
    assertions += 1;
    const assertionId = `_test${assertions}`;
    const here = { recipient: SAML_AUTH, destination: SAML_AUTH };
    return signedResponse({ ...here, assertionId, ...parts }, { of: assertionId, ...(signer && { signer }) });
  }

  const post = ({ browser }: Begun, xml: string) =>
    server.visit(browser, SAML_AUTH, { SAMLResponse: Buffer.from(xml).toString("base64") });
  const resultOf = async ({ id }: Begun): Promise<Json> => (await server.result(SAML, id)).body.test_login;

  it("shows each step of a good Response in a browser, and creates nothing", async () => {
    // The service makes its key with the first request.
    const begun = await begin();
    const before = await server.rows();
    const xml = answer({ inResponseTo: begun.requestId });
    const page = await post(begun, xml);
    expect(page.text).toContain("The test login passed");
    expect(page.headers).not.toHaveProperty("x-subject-token");
    const login = await resultOf(begun);
    expect(login.status).toBe("passed");
    expect(passedOf(login)).toEqual([
      "message",
      "signature",
      "issuer",
      "recipient",
      "audience",
      "time",
      "name-id",
      "request",
      "replay",
      "remote-id",
      "attributes",
      "mapping",
      "user",
      "groups",
      "projects",
    ]);
    expect(login.result.steps[1].message).toMatch(
      /^the Assertion is signed by certificate sha256:[0-9a-f]{64}, one of 1 trusted$/,
    );
    expect(login.result.attributes).toMatchObject({ NAME_ID: "alice", groups: "staff;ops" });
    expect(login.result.groups).toMatchObject([{ name: "staff" }]);
    expect(login.result.changes[0]).toEqual({ action: "create", resource: "user", name: "alice" });
    expect(await server.rows()).toBe(before);
  });

  it("uses the assertion up: neither a login nor another test takes it", async () => {
    const begun = await begin();
    const xml = answer({ inResponseTo: begun.requestId });
    await post(begun, xml);
    const again = await post(begun, xml);
    expect(again.headers).not.toHaveProperty("x-subject-token");
    const unsolicited = answer();
    const first = await server.test(SAML, { paos_response: inEnvelope(unsolicited) });
    expect(first.body.test_login.status).toBe("passed");
    const second = await server.test(SAML, { paos_response: inEnvelope(unsolicited) });
    expect(failureOf(second.body.test_login)).toMatchObject({ step: "replay" });
    const real = await server.ask("POST", `${SAML}/auth`, {
      token: "",
      headers: { "content-type": "application/vnd.paos+xml" },
      body: inEnvelope(unsolicited) as never,
    });
    expect(real.status).toBe(401);
  });

  it.each<[string, ResponseParts, string, object, string[]]>([
    [
      "a wrong audience",
      { audience: "https://other.example.org" },
      "audience",
      { received: "https://other.example.org", expected: SP_ENTITY },
      ["signature", "issuer", "recipient"],
    ],
    [
      "an expired assertion",
      { notOnOrAfter: "2026-11-21T11:30:00Z" },
      "time",
      { received: "NotOnOrAfter 2026-11-21T11:30:00Z" },
      ["signature", "issuer"],
    ],
    [
      "another recipient",
      { recipient: "https://other.example.org/acs" },
      "recipient",
      { received: "https://other.example.org/acs", expected: SAML_AUTH },
      ["signature", "issuer"],
    ],
    ["another issuer", { issuer: "https://evil.example.org" }, "issuer", { expected: ISSUER }, ["signature"]],
  ])("says which step failed in a browser: %s", async (_, parts, step, compared, passed) => {
    const begun = await begin();
    const page = await post(begun, answer({ inResponseTo: begun.requestId, ...parts }));
    const login = await resultOf(begun);
    expect(page.text).toContain(`Failed step: <code>${step}</code>`);
    expect(failureOf(login)).toMatchObject({ step, ...compared });
    for (const name of passed) expect(passedOf(login)).toContain(name);
  });

  it("shows the provider's words where it reports a failure, with or without a browser", async () => {
    const begun = await begin();
    const words = "<samlp:StatusMessage>not assigned</samlp:StatusMessage>";
    const xml = failureResponse({ destination: SAML_AUTH, inResponseTo: begun.requestId, words });
    const page = await post(begun, xml);
    expect(page.text).toContain("Failed step: <code>message</code>");
    const { body } = await server.test(SAML, { paos_response: inEnvelope(xml) });
    for (const login of [await resultOf(begun), body.test_login])
      expect(failureOf(login)).toMatchObject({
        step: "message",
        message: expect.stringMatching(
          /RequestDenied", StatusMessage "not assigned".*is not signed$/,
        ) as string,
        received: expect.stringMatching(/Responder, .*RequestDenied$/) as string,
      });
  });

  it("shows which rule an attribute was missing for", async () => {
    const begun = await begin();
    await post(begun, answer({ inResponseTo: begun.requestId, attributes: "" }));
    const login = await resultOf(begun);
    // The rule of groups does not match: the user logs in without any.
    expect(login).toMatchObject({ status: "passed", result: { groups: [] } });
    expect(login.result.mapping.trace[1]).toMatchObject({ matched: false });
    expect(login.result.mapping.trace[1].conditions[0].reason).toContain('no "groups"');
  });

  it("names a signature by an unknown key, before anything else of the message counts", async () => {
    const begun = await begin();
    await post(begun, answer({ inResponseTo: begun.requestId }, newSigner()));
    expect(failureOf(await resultOf(begun))).toMatchObject({ step: "signature" });
  });

  it("does not take the answer to a test login for a login, nor that to a login for a test", async () => {
    const begun = await begin();
    const other = createBrowser();
    const login = await server.visit(other, SAML_AUTH);
    expect(login.status).toBe(302);
    // In another browser the request is unknown.
    const stolen = await server.visit(other, SAML_AUTH, {
      SAMLResponse: Buffer.from(answer({ inResponseTo: begun.requestId })).toString("base64"),
    });
    expect(stolen.status).toBe(401);
    expect((await resultOf(begun)).status).toBe("begun");
  });

  it("shows that a browser's Response without its browser answers no request", async () => {
    const begun = await begin();
    const xml = answer({ inResponseTo: begun.requestId });
    const { body } = await server.test(SAML, { saml_response: Buffer.from(xml).toString("base64") });
    expect(failureOf(body.test_login)).toMatchObject({ step: "request" });
    expect(passedOf(body.test_login)).toContain("audience");
    expect((await resultOf(begun)).status).toBe("begun");
  });
});
