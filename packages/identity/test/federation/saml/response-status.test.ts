/** Responses that report a failure: the log has the provider's own words, by every binding, signed or not. */
import { deflateRawSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { AssertionRefusedError, type RefusalFacts } from "../../../src/federation/federation-errors.js";
import { sqliteDatabases } from "../../databases.js";
import { loginServer, NAMED, type LoginServer } from "../login-server.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import {
  assertion,
  encrypted,
  failureResponse,
  ISSUER,
  metadata,
  newSigner,
  NOW,
  PROVIDER,
  response,
  sign,
  signedResponse,
  type FailureParts,
} from "./test-provider.js";

const STATUS = "urn:oasis:names:tc:SAML:2.0:status:";
const DENIED = `<samlp:StatusMessage>User is not assigned to the application cloud</samlp:StatusMessage>`;
const WORDS = `provider answered with status "${STATUS}Responder", "${STATUS}RequestDenied", StatusMessage "User is not assigned to the application cloud", expected "${STATUS}Success"`;
const SIGNED = "the Response is signed";
const UNSIGNED = "the Response is not signed";
const UNVERIFIED = "the signature of the Response does not verify";

async function factsOf(work: Promise<unknown>): Promise<RefusalFacts> {
  const error = await work.catch((failure: unknown) => failure);
  if (error instanceof AssertionRefusedError) return error.facts;
  throw new TypeError(`not refused: ${String(error)}`);
}

describe("a Response that reports a failure", () => {
  let login: SamlLogin;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  afterAll(() => login.close());

  const denied = (parts: FailureParts = {}) => failureResponse({ words: DENIED, ...parts });
  const signed = (xml: string) => sign(xml, "_response");
  const withEncrypted = () =>
    denied({
      content:
        /<saml:EncryptedAssertion.*<\/saml:EncryptedAssertion>/.exec(
          encrypted(response(), PROVIDER.publicKey),
        )?.[0] ?? "",
    });

  const KINDS: readonly (readonly [string, () => string, string])[] = [
    ["unsigned", denied, UNSIGNED],
    ["signed", () => signed(denied()), SIGNED],
    ["signed by another key", () => sign(denied(), "_response", { signer: newSigner() }), UNVERIFIED],
    ["changed after its signature", () => signed(denied()).replace(">User is", ">User  is"), UNVERIFIED],
    ["with an Assertion", () => denied({ content: assertion() }), UNSIGNED],
    ["with a signed Assertion", () => sign(denied({ content: assertion() }), "_assertion"), UNSIGNED],
    [
      "with two Assertions",
      () => denied({ content: assertion() + assertion({ assertionId: "_b" }) }),
      UNSIGNED,
    ],
    ["with an EncryptedAssertion", withEncrypted, UNSIGNED],
    ["signed, with an EncryptedAssertion", () => signed(withEncrypted()), SIGNED],
    ["of another issuer", () => denied({ issuer: "https://other.example.org" }), UNSIGNED],
    ["without an Issuer", () => denied().replace(/<saml:Issuer>.*<\/saml:Issuer>/, ""), UNSIGNED],
    ["for another address", () => denied({ destination: "https://other.example.org/acs" }), UNSIGNED],
    ["to an unknown request", () => denied({ inResponseTo: "_unknown" }), UNSIGNED],
  ];

  it.each(KINDS)("is logged with both status codes and StatusMessage: %s", async (_, make, origin) => {
    const { cookie } = await login.begin();
    const facts = { step: "status", reason: `${WORDS}; ${origin}` };
    expect(await factsOf(login.post(make(), { cookie }))).toEqual(facts);
    expect(await factsOf(login.carry(make()))).toEqual(facts);
    const query = new Map([["SAMLResponse", deflateRawSync(make()).toString("base64")]]);
    expect(await factsOf(login.send({ method: "GET", query }))).toEqual(facts);
  });

  it.each<[string, string, string]>([
    ["no Status", "", "missing"],
    ["an empty Status", "<samlp:Status/>", "missing"],
    ["a StatusCode without Value", "<samlp:Status><samlp:StatusCode/></samlp:Status>", '""'],
    [
      "a status that only contains Success",
      `<samlp:Status><samlp:StatusCode Value="${STATUS}Responder"><samlp:StatusCode Value="${STATUS}Success"/></samlp:StatusCode></samlp:Status>`,
      `"${STATUS}Responder", "${STATUS}Success"`,
    ],
  ])("is logged with %s", async (_, status, words) => {
    const { reason } = await factsOf(login.carry(failureResponse({ status })));
    expect(reason).toBe(`provider answered with status ${words}, expected "${STATUS}Success"; ${UNSIGNED}`);
  });

  it("is logged with all levels of its codes, and the names in StatusDetail", async () => {
    const words = `<samlp:StatusDetail><Cause xmlns="urn:x">policy  7</Cause></samlp:StatusDetail>`;
    const codes = ["Responder", "AuthnFailed", "third"];
    expect((await factsOf(login.carry(failureResponse({ codes, words })))).reason).toBe(
      `provider answered with status ${codes.map((code) => `"${STATUS}${code}"`).join(", ")}, StatusDetail "Cause policy 7", expected "${STATUS}Success"; ${UNSIGNED}`,
    );
  });

  it("is quoted and bounded: an attacker's text neither begins a line nor moves the cursor", async () => {
    const text = `a"\\&#xA;{"level":"info"}&#xD;&#x9B;31m&#x202E;&#x200B;Zugriff für Zoë verweigert${"&#x1F4A3;x".repeat(9000)}`;
    const codes = ["Responder&#xA;&#x9B;2J", ...Array.from({ length: 40 }, () => "x".repeat(3000))];
    const words = `<samlp:StatusMessage>${text}</samlp:StatusMessage>`;
    const { reason } = await factsOf(login.carry(failureResponse({ codes, words })));
    expect(reason).toContain(
      String.raw`StatusMessage "a\"\\ {\"level\":\"info\"} \u{9b}31m\u{202e}\u{200b}Zugriff für Zoë verweigert`,
    );
    expect(reason).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(reason.length).toBeLessThan(2000);
  });

  it("is logged without secrets that its words repeat", async () => {
    const secret = "client_secret=hunter2hunter2; eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc";
    const words = `<samlp:StatusMessage>${secret}</samlp:StatusMessage><samlp:StatusDetail><x>${secret}</x></samlp:StatusDetail>`;
    const masked = "client_secret=***; ***";
    expect((await factsOf(login.carry(failureResponse({ words })))).reason).toContain(
      `StatusMessage "${masked}", StatusDetail "x ${masked}"`,
    );
    const fault = `<S:Fault xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><faultstring>${secret}</faultstring></S:Fault>`;
    expect((await factsOf(login.carry(fault))).reason).toContain(`"${masked}"`);
  });

  it("is told from a SOAP fault, which is logged with its code and words", async () => {
    const fault = `<S:Fault xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><faultcode>S:Server</faultcode><faultstring>responseConsumerURL&#xA;mismatch</faultstring></S:Fault>`;
    expect(await factsOf(login.carry(fault))).toEqual({
      step: "status",
      reason:
        'the provider or client sent a SOAP fault: code "S:Server", "responseConsumerURL mismatch", expected samlp:Response',
    });
  });

  it.each(KINDS)("does not end the login that its browser has begun: %s", async (_, make) => {
    const { id, cookie } = await login.begin();
    const xml = make().replace(/ InResponseTo="[^"]*"|(?=><saml:Issuer)/, ` InResponseTo="${id}"`);
    await expect(login.post(xml, { cookie })).rejects.toThrow(AssertionRefusedError);
    await expect(login.post(xml)).rejects.toThrow(AssertionRefusedError);
    const assertionId = `_after${id}`;
    const good = signedResponse({ inResponseTo: id, assertionId }, { of: assertionId });
    expect((await login.post(good, { cookie })).attributes).toMatchObject({ NAME_ID: "alice" });
  });

  it("is rejected by HTTP-Redirect where it reports success, too", async () => {
    const query = new Map([["SAMLResponse", deflateRawSync(signedResponse()).toString("base64")]]);
    expect(await factsOf(login.send({ method: "GET", query }))).toEqual({
      step: "request",
      reason: "Response received by HTTP-Redirect or HTTP-Artifact, expected HTTP-POST or PAOS",
    });
  });
});

describe("a failure that a provider reports", () => {
  const PATH = "/v3/OS-FEDERATION/identity_providers/acme";
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases, {}, { now: NOW });
    await service.ask("PUT", PATH, { body: { identity_provider: { enabled: true, remote_ids: [ISSUER] } } });
    await service.ask("PUT", "/v3/OS-FEDERATION/mappings/acme", { body: { mapping: { rules: [NAMED] } } });
    const protocol = { mapping_id: "acme", settings: { type: "saml2", idp_metadata_xml: metadata() } };
    await service.ask("PUT", `${PATH}/protocols/saml2`, { body: { protocol } });
  });
  afterAll(() => service.close());

  it("is in the log and the list of failed logins, and the caller gets 401 without it", async () => {
    const words = `<samlp:StatusMessage>not assigned</samlp:StatusMessage>`;
    const xml = Buffer.from(failureResponse({ words })).toString("base64");
    const answer = await service.ask("POST", `${PATH}/protocols/saml2/auth`, {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(new URLSearchParams({ SAMLResponse: xml, RelayState: "x" }).toString()),
    });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toMatch(/RequestDenied|assigned/);
    const reason = expect.stringMatching(/RequestDenied", StatusMessage "not assigned"/) as string;
    expect(service.refusals.at(-1)).toMatchObject({ idpId: "acme", step: "status", reason });
    await expect
      .poll(async () => (await service.ask("GET", "/v3/OS-FEDERATION/failed_logins")).body.failed_logins)
      .toMatchObject([{ step: "status", reason }]);
  });
});
