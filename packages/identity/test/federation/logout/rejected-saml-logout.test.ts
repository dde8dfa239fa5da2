/** SAML logout messages that are rejected: the tokens stay valid, and only the log has the reason. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { newSigner } from "../saml/test-provider.js";
import {
  failedLogoutResponse,
  inForm,
  logoutRequest,
  logoutResponse,
  redirectQuery,
} from "./logout-messages.js";
import { PROTOCOL, samlLogoutService, SETTINGS, type SamlLogoutService } from "./saml-logout-service.js";

let service: SamlLogoutService;
beforeAll(async () => {
  service = await samlLogoutService(sqliteDatabases);
});
afterAll(() => service.close());

const setSettings = async (settings: object) => {
  const body = { protocol: { mapping_id: "saml", settings: { ...SETTINGS, ...settings } } };
  expect((await service.ask("PATCH", PROTOCOL, { body })).status).toBe(200);
};

const STATUS = "urn:oasis:names:tc:SAML:2.0:status:";
const FAILED = `provider answered with status "${STATUS}Responder", "${STATUS}PartialLogout", StatusMessage "session is unknown", expected "${STATUS}Success"`;

describe("a rejected logout", () => {
  const other = newSigner();
  const url = "/v3/OS-FEDERATION/saml2/logout";
  const form = (fields: Record<string, string>) => () => service.post(fields);
  const get = (query: string) => () => service.ask("GET", `${url}?${query}`);
  const wrapped = () => {
    const signed = Buffer.from(
      inForm(logoutRequest({ id: "_inner", nameId: "mallory" })),
      "base64",
    ).toString();
    const outer = logoutRequest({ id: "_outer" });
    return Buffer.from(outer.replace("</samlp:LogoutRequest>", `${signed}</samlp:LogoutRequest>`));
  };
  /** The signature is in the outer request, and covers the one within it. */
  const moved = () => {
    const inner = logoutRequest({ id: "_covered", nameId: "mallory" });
    const [signature = ""] =
      /<ds:Signature .*<\/ds:Signature>/s.exec(Buffer.from(inForm(inner), "base64").toString()) ?? [];
    const outer = logoutRequest({ id: "_claimed" }).replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
    const extensions = `<samlp:Extensions>${inner}</samlp:Extensions></samlp:LogoutRequest>`;
    return Buffer.from(outer.replace("</samlp:LogoutRequest>", extensions));
  };
  const swapped = () => {
    const signed = Buffer.from(inForm(logoutRequest({ nameId: "mallory" })), "base64").toString();
    return Buffer.from(signed.replace(">mallory<", ">alice<"));
  };
  const changedQuery = () => {
    const [, value = ""] = /^SAMLRequest=([^&]*)/.exec(redirectQuery(logoutRequest())) ?? [];
    return redirectQuery(logoutRequest({ nameId: "mallory" })).replace(
      /^SAMLRequest=[^&]*/,
      `SAMLRequest=${value}`,
    );
  };

  it.each([
    [
      "unsigned, by a form",
      form({ SAMLRequest: Buffer.from(logoutRequest()).toString("base64") }),
      "signature",
      /LogoutRequest is not signed/,
    ],
    [
      "unsigned, by a redirect",
      get(redirectQuery(logoutRequest()).replace(/&SigAlg=.*/, "")),
      "signature",
      /is not signed: expected SigAlg and Signature/,
    ],
    [
      "by another key",
      form({ SAMLRequest: inForm(logoutRequest(), { signer: other }) }),
      "signature",
      /does not verify with any trusted certificate.*expected sha256:/,
    ],
    [
      "by another key, by a redirect",
      get(redirectQuery(logoutRequest(), { signer: other })),
      "signature",
      /does not verify with any trusted certificate.*expected sha256:/,
    ],
    [
      "by SHA-1",
      form({ SAMLRequest: inForm(logoutRequest(), { sha1: true }) }),
      "signature",
      /SignatureMethod is not accepted.*rsa-sha1.*expected.*rsa-sha256/,
    ],
    [
      "by SHA-1, by a redirect",
      get(redirectQuery(logoutRequest(), { hash: "sha1" })),
      "signature",
      /SigAlg is .*rsa-sha1.*, expected .*rsa-sha256/,
    ],
    [
      "with a wrapped signature",
      form({ SAMLRequest: wrapped().toString("base64") }),
      "signature",
      /not signed|unexpected Signature/,
    ],
    [
      "with a signature of another element",
      form({ SAMLRequest: moved().toString("base64") }),
      "signature",
      /Reference is "#_covered", expected "#_claimed"/,
    ],
    [
      "changed after its signature",
      form({ SAMLRequest: swapped().toString("base64") }),
      "signature",
      /digest does not match/,
    ],
    ["changed in its query", get(changedQuery()), "signature", /does not verify/],
    [
      "with another RelayState than signed",
      get(redirectQuery(logoutRequest(), { relayState: "a" }).replace("RelayState=a", "RelayState=b")),
      "signature",
      /does not verify/,
    ],
    [
      "with a second SAMLRequest",
      get(`${redirectQuery(logoutRequest())}&SAMLRequest=AAAA`),
      "message",
      /query has several SAMLRequest/,
    ],
    [
      "of an unknown issuer",
      form({ SAMLRequest: inForm(logoutRequest({ issuer: "https://evil.example.org" })) }),
      "issuer",
      /Issuer is "https:\/\/evil.example.org", expected one of the remote_ids/,
    ],
    [
      "for another service",
      form({ SAMLRequest: inForm(logoutRequest({ destination: "https://other.example.org/slo" })) }),
      "logout",
      /Destination of LogoutRequest is "https:\/\/other.example.org\/slo", expected "http:\/\/127.0.0.1:5900/,
    ],
    [
      "without a Destination",
      form({ SAMLRequest: inForm(logoutRequest({ destination: null })) }),
      "logout",
      /Destination of LogoutRequest is missing/,
    ],
    [
      "expired",
      form({ SAMLRequest: inForm(logoutRequest({ notOnOrAfter: "2026-11-21T11:58:59Z" })) }),
      "logout",
      /expired: NotOnOrAfter is 2026-11-21T11:58:59Z, 61 s ago/,
    ],
    [
      "too old",
      form({ SAMLRequest: inForm(logoutRequest({ issued: "2026-11-21T11:53:59Z" })) }),
      "logout",
      /too old: IssueInstant is 2026-11-21T11:53:59Z, 361 s ago.*clocks/,
    ],
    [
      "from the future",
      form({ SAMLRequest: inForm(logoutRequest({ issued: "2026-11-21T12:01:01Z" })) }),
      "logout",
      /in the future.*clocks/,
    ],
    [
      "of another version",
      form({ SAMLRequest: inForm(logoutRequest({ version: "1.1" })) }),
      "logout",
      /Version of LogoutRequest is "1.1"/,
    ],
    [
      "without a name",
      form({ SAMLRequest: inForm(logoutRequest({ nameId: "" })) }),
      "logout",
      /NameID is empty/,
    ],
    [
      "with an entity",
      form({
        SAMLRequest: Buffer.from(`<!DOCTYPE x [<!ENTITY a "b">]>${logoutRequest()}`).toString("base64"),
      }),
      "message",
      /DOCTYPE/,
    ],
    ["that is no message", form({ SAMLRequest: "%%%" }), "message", /SAMLRequest is not in base64/],
    [
      "that inflates without end",
      get(redirectQuery("x".repeat(1_000_000))),
      "message",
      /not in deflated UTF-8/,
    ],
    [
      "of another kind",
      form({ SAMLRequest: inForm(logoutResponse("_x")) }),
      "message",
      /root element is "LogoutResponse", expected samlp:LogoutRequest/,
    ],
    [
      "that answers no request",
      form({ SAMLResponse: inForm(logoutResponse("_unknown")) }),
      "request",
      /InResponseTo is "_unknown", expected a LogoutRequest/,
    ],
    [
      "that the provider reports as failed, by a form",
      form({ SAMLResponse: inForm(failedLogoutResponse()), RelayState: "x" }),
      "status",
      new RegExp(`^${FAILED}; signed$`),
    ],
    [
      "that the provider reports as failed, by a redirect",
      get(redirectQuery(failedLogoutResponse(), { name: "SAMLResponse" })),
      "status",
      new RegExp(`^${FAILED}; signed$`),
    ],
    [
      "that an unsigned response reports as failed, by a form",
      form({ SAMLResponse: Buffer.from(failedLogoutResponse()).toString("base64") }),
      "status",
      new RegExp(`^${FAILED}; not verified: LogoutResponse is not signed$`),
    ],
    [
      "that an unsigned response reports as failed, by a redirect",
      get(redirectQuery(failedLogoutResponse(), { name: "SAMLResponse" }).replace(/&SigAlg=.*/, "")),
      "status",
      new RegExp(`^${FAILED}; not verified: SAMLResponse by HTTP-Redirect is not signed`),
    ],
    [
      "that a response by another key reports as failed, by a form",
      form({ SAMLResponse: inForm(failedLogoutResponse(), { signer: other }) }),
      "status",
      new RegExp(`^${FAILED}; not verified: signature does not verify with any trusted certificate`),
    ],
    [
      "that a response without an Issuer reports as failed",
      form({
        SAMLResponse: Buffer.from(
          failedLogoutResponse().replace(/<saml:Issuer>.*<\/saml:Issuer>/, ""),
        ).toString("base64"),
      }),
      "status",
      new RegExp(`^${FAILED}; LogoutResponse has no Issuer$`),
    ],
    [
      "whose response has no status",
      form({ SAMLResponse: inForm(logoutResponse("_x").replace(/<samlp:Status>.*<\/samlp:Status>/, "")) }),
      "status",
      /^provider answered with status missing, expected "[\w:.]+Success"; signed$/,
    ],
    ["that is missing", form({}), "message", /no SAMLRequest or SAMLResponse/],
    [
      "with a huge RelayState",
      form({ SAMLRequest: inForm(logoutRequest()), RelayState: "x".repeat(2049) }),
      "message",
      /RelayState is longer/,
    ],
  ] as const)("%s", async (_name, send, step, reason) => {
    const token = await service.logIn();
    const { status, text } = await send();
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      error: { code: 400, message: "The logout was rejected.", title: "Bad Request" },
    });
    expect(service.refusals.at(-1)).toMatchObject({ step, reason: expect.stringMatching(reason) });
    expect(service.audits.at(-1)).toMatchObject({ action: "logout", outcome: "failed" });
    expect(await service.check(token)).toBe(200);
  });

  it("a replayed request, at another replica", async () => {
    const fields = { SAMLRequest: inForm(logoutRequest({ nameId: "hal" })) };
    expect((await service.post(fields)).status).toBe(200);
    const token = await service.logIn({ nameId: "hal", issued: "2026-11-21T12:00:05Z" });
    expect((await service.post(fields, { replica: 1 })).status).toBe(400);
    expect(service.refusals.at(-1)).toMatchObject({ step: "replay" });
    expect(await service.check(token)).toBe(200);
  });

  it("of a protocol without the setting", async () => {
    await setSettings({ logout: false });
    expect((await service.post({ SAMLRequest: inForm(logoutRequest()) })).status).toBe(400);
    expect(service.refusals.at(-1)).toMatchObject({
      step: "issuer",
      reason: expect.stringContaining('"logout": true'),
    });
    await setSettings({});
  });

  it("of more than 512 KiB", async () => {
    expect((await service.post({ SAMLRequest: "A".repeat(1 << 19) })).status).toBe(413);
  });

  it("is a page in a browser", async () => {
    const { status, text } = await service.ask("GET", url, { headers: { accept: "text/html" } });
    expect([status, text.includes("<h1>The logout did not finish</h1>")]).toEqual([400, true]);
  });
});

it("is not limited with logins: failed logouts of a network leave its logins alone", async () => {
  const limited = await samlLogoutService(sqliteDatabases, { env: { IDENTITY_RATE_LIMIT: "on" } });
  try {
    let status = 0;
    // More than the limit: on a slow machine some come back meanwhile.
    for (let attempt = 0; attempt < 2000 && status !== 429; attempt += 1)
      ({ status } = await limited.post({ SAMLRequest: "%%%" }, { address: "192.0.2.7" }));
    expect(status).toBe(429);
    const fields = { SAMLRequest: inForm(logoutRequest({ nameId: "zoe" })) };
    expect((await limited.post(fields, { address: "198.51.100.7" })).status).toBe(200);
    expect(await limited.logIn()).not.toBe("");
  } finally {
    await limited.close();
  }
});
