/** Checks of time, Recipient, Destination and Audience of an assertion and its Response, and their log lines. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { samlLogin, type SamlLogin } from "./saml-login.js";
import {
  AUDIENCE,
  AUTH_URL,
  ISSUER,
  NOW,
  response,
  sign,
  signedResponse,
  type ResponseParts,
} from "./test-provider.js";

const RESPONSE = { of: "_response" };
const FAR = "9999-12-31T23:59:59Z";

/** Each differs from a good response by one thing. */
const REFUSED: readonly (readonly [
  name: string,
  parts: ResponseParts,
  reason: string,
  signing?: { readonly of: string },
])[] = [
  [
    "a signed Response without Destination",
    { destination: null },
    `Destination of the signed Response is missing, expected this ACS URL "${AUTH_URL}"`,
    RESPONSE,
  ],
  [
    "a signed Response with another Destination",
    { destination: "https://other.example.org/acs" },
    `Destination of the signed Response is "https://other.example.org/acs", expected this ACS URL "${AUTH_URL}"`,
    RESPONSE,
  ],
  [
    "another Destination that is not signed",
    { destination: "https://other.example.org/acs" },
    `Destination of the Response is "https://other.example.org/acs", expected this ACS URL "${AUTH_URL}"`,
  ],
  [
    "another Recipient",
    { recipient: "https://other.example.org/acs" },
    `Recipient is "https://other.example.org/acs", expected this ACS URL "${AUTH_URL}"`,
  ],
  ["a Response of SAML 1.1", { responseVersion: "1.1" }, 'Version of Response is "1.1", expected "2.0"'],
  ["an Assertion of SAML 1.1", { version: "1.1" }, 'Version of Assertion is "1.1", expected "2.0"'],
  ["an Assertion of version 2.0x", { version: "2.00" }, 'Version of Assertion is "2.00", expected "2.0"'],
  ["a Response without IssueInstant", { responseIssued: "" }, "Response has no IssueInstant"],
  ["an Assertion without IssueInstant", { issued: "" }, "Assertion has no IssueInstant"],
  [
    "a Response of the future",
    { responseIssued: 'IssueInstant="2026-11-21T12:01:01Z"' },
    "IssueInstant of Response is in the future: 2026-11-21T12:01:01Z, in 61 s (leeway 60 s); check the clocks of both",
  ],
  [
    "an Assertion of the future",
    { issued: `IssueInstant="${FAR}"`, notOnOrAfter: FAR },
    "IssueInstant of Assertion is in the future: 9999-12-31T23:59:59Z, in",
  ],
  [
    "an IssueInstant in no time zone",
    { issued: 'IssueInstant="2026-11-21T12:00:00"' },
    'IssueInstant of Assertion is "2026-11-21T12:00:00", expected a time in UTC such as',
  ],
  [
    "NotOnOrAfter in the year 9999",
    { notOnOrAfter: FAR },
    "NotOnOrAfter of SubjectConfirmationData is 9999-12-31T23:59:59Z, expected at most 24 h after IssueInstant 2026-11-21T12:00:00Z",
  ],
  [
    "NotOnOrAfter a minute and a second more than 24 h after IssueInstant",
    { notOnOrAfter: "2026-11-22T12:01:01Z" },
    "expected at most 24 h after IssueInstant 2026-11-21T12:00:00Z",
  ],
  [
    "Conditions until the year 9999",
    { secondNotOnOrAfter: FAR },
    "NotOnOrAfter of Conditions is 9999-12-31T23:59:59Z, expected at most 24 h after IssueInstant",
  ],
  [
    "an assertion that expired",
    { notOnOrAfter: "2026-11-21T11:58:20Z" },
    "SubjectConfirmationData expired: NotOnOrAfter is 2026-11-21T11:58:20Z, 100 s ago (leeway 60 s)",
  ],
  [
    "an assertion that is not yet valid",
    { notBefore: "2026-11-21T12:15:00Z", notOnOrAfter: "2026-11-21T12:20:00Z" },
    "Conditions is not yet valid: NotBefore is 2026-11-21T12:15:00Z, in 900 s (leeway 60 s); check the clocks of both",
  ],
  [
    "another Audience",
    { audience: "https://other.example.org" },
    `Audience is "https://other.example.org", expected the entity ID of this service "${AUDIENCE}"`,
  ],
  ["no Audience", { conditions: "" }, `assertion has no Audience, expected "${AUDIENCE}"`],
  [
    "another Issuer",
    { issuer: "https://evil.example.org" },
    `Issuer is "https://evil.example.org", expected the entity ID of the provider's metadata "${ISSUER}"`,
  ],
  [
    "a condition that is not known",
    { conditions: `${restriction()}<saml:Condition/>` },
    'Conditions holds "Condition", expected AudienceRestriction',
  ],
  [
    "an assertion that expired a minute ago",
    { notOnOrAfter: "2026-11-21T11:59:00Z" },
    "SubjectConfirmationData expired: NotOnOrAfter is 2026-11-21T11:59:00Z, 60 s ago (leeway 60 s)",
  ],
  [
    "Conditions that expired",
    { notOnOrAfter: "2026-11-21T12:05:00Z", secondNotOnOrAfter: "2026-11-21T11:59:00Z" },
    "Conditions expired: NotOnOrAfter is 2026-11-21T11:59:00Z, 60 s ago (leeway 60 s)",
  ],
  [
    "NotBefore a minute and a second ahead",
    { notBefore: "2026-11-21T12:01:01Z" },
    "Conditions is not yet valid: NotBefore is 2026-11-21T12:01:01Z, in 61 s (leeway 60 s)",
  ],
  [
    "a session that ended a minute ago",
    { sessionNotOnOrAfter: "2026-11-21T11:59:00Z" },
    "session at the provider ended: SessionNotOnOrAfter is 2026-11-21T11:59:00Z, 60 s ago (leeway 60 s)",
  ],
];

/** Each is still good. */
const ACCEPTED: readonly (readonly [string, ResponseParts])[] = [
  ["no Destination where the Response is not signed", { destination: null }],
  ["NotOnOrAfter 24 h and a minute after IssueInstant", { notOnOrAfter: "2026-11-22T12:01:00Z" }],
  ["NotOnOrAfter 59 seconds ago", { notOnOrAfter: "2026-11-21T11:59:01Z" }],
  ["NotBefore a minute ahead", { notBefore: "2026-11-21T12:01:00Z" }],
  ["a session that ended 59 seconds ago", { sessionNotOnOrAfter: "2026-11-21T11:59:01Z" }],
  [
    "IssueInstant a minute ahead",
    { issued: 'IssueInstant="2026-11-21T12:01:00Z"', responseIssued: 'IssueInstant="2026-11-21T12:01:00Z"' },
  ],
  ["a second of many digits", { issued: 'IssueInstant="2026-11-21T12:00:00.123456789Z"' }],
];

describe("the terms of an assertion", () => {
  let login: SamlLogin;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  beforeEach(() => {
    login.setSettings({});
    login.setNow(NOW);
  });
  afterAll(() => login.close());

  it.each(REFUSED.map(([name, parts, reason, signing]) => ({ name, parts, reason, signing })))(
    "are refused with $name, and the log names both values",
    async ({ parts, reason, signing }) => {
      const { id, cookie } = await login.begin();
      const xml = signedResponse({ inResponseTo: id, ...parts }, signing);
      await expect(login.post(xml, { cookie })).rejects.toMatchObject({
        facts: { step: "assertion", reason: expect.stringContaining(reason) as string },
      });
    },
  );

  // SAML profiles, 4.1.4.2: a bearer SubjectConfirmationData has to have it.
  it("are refused with a SubjectConfirmationData without NotOnOrAfter", async () => {
    const { id, cookie } = await login.begin();
    const [, start = "", end = ""] =
      /^([^]*<saml:SubjectConfirmationData )NotOnOrAfter="[^"]*"([^]*)$/.exec(
        response({ inResponseTo: id }),
      ) ?? [];
    await expect(login.post(sign(start + end, "_assertion"), { cookie })).rejects.toMatchObject({
      facts: { step: "assertion", reason: "SubjectConfirmationData has no NotOnOrAfter" },
    });
  });

  it("include the Issuer of the Response, if it has one", async () => {
    const responseIssuer = `<saml:Issuer>${ISSUER}</saml:Issuer><samlp:Status>`;
    const post = async (status: string) => {
      const { id, cookie } = await login.begin();
      const assertionId = `_issuer${++count}`;
      const xml = signedResponse({ inResponseTo: id, assertionId }, { of: assertionId });
      return login.post(xml.replace(responseIssuer, `${status}<samlp:Status>`), { cookie });
    };
    const other = "https://other.example.org";
    await expect(post(`<saml:Issuer>${other}</saml:Issuer>`)).rejects.toThrow(
      `Issuer is "${other}", expected the entity ID of the provider's metadata "${ISSUER}"`,
    );
    expect((await post("")).attributes).toMatchObject({ NAME_ID: "alice" });
  });

  it.each(ACCEPTED)("are accepted with %s", async (_, parts) => {
    const { id, cookie } = await login.begin();
    const assertionId = `_good${++count}`;
    const xml = signedResponse({ inResponseTo: id, assertionId, ...parts }, { of: assertionId });
    expect((await login.post(xml, { cookie })).attributes).toMatchObject({ NAME_ID: "alice" });
  });

  it("name no more than 200 characters of a value, and none that a terminal acts on", async () => {
    const { id, cookie } = await login.begin();
    const audience = `\u202E\u009B31m${"x".repeat(5000)}`;
    const xml = signedResponse({ inResponseTo: id, audience });
    const refusal = (await login.post(xml, { cookie }).catch((error: unknown) => error)) as Error;
    expect(refusal.message).toContain(`Audience is "\\u{202e}\\u{9b}31m${"x".repeat(195)}…"`);
  });
});

describe("an unsolicited assertion without Audience, as a second Keystone sends it", () => {
  let login: SamlLogin;
  let count = 0;
  beforeAll(async () => {
    login = await samlLogin(sqliteDatabases);
  });
  afterAll(() => login.close());

  const carry = (parts: ResponseParts = {}) => {
    const assertionId = `_k2k${++count}`;
    return login.carry(signedResponse({ assertionId, conditions: "", ...parts }, { of: assertionId }));
  };

  it("is rejected, and the log names the setting that accepts it", async () => {
    login.setSettings({});
    await expect(carry()).rejects.toThrow(/assertion has no Audience, .*allow_missing_audience/);
  });

  it("is accepted with allow_missing_audience, for this service's address alone", async () => {
    login.setSettings({ allow_missing_audience: true });
    expect((await carry()).attributes).toMatchObject({ NAME_ID: "alice" });
    const other = "https://other.example.org/acs";
    await expect(carry({ recipient: other })).rejects.toThrow(/Recipient is/);
    await expect(carry({ destination: other })).rejects.toThrow(/Destination of the Response is/);
    await expect(carry({ conditions: restriction("https://other.example.org") })).rejects.toThrow(
      /Audience is/,
    );
  });

  it("is rejected with allow_missing_audience if it answers a request, or a browser posts it", async () => {
    login.setSettings({ allow_missing_audience: true });
    const { id, cookie } = await login.begin();
    const answering = signedResponse({ inResponseTo: id, conditions: "" });
    await expect(login.post(answering, { cookie })).rejects.toThrow(/assertion has no Audience/);
    await expect(login.post(signedResponse({ conditions: "" }))).rejects.toThrow(/InResponseTo is missing/);
  });
});

function restriction(audience = AUDIENCE): string {
  return `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
}
