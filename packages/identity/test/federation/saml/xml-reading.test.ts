/** Rejected XML: the cost of the rejection, and its log lines. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../../src/app.js";
import { readMessage, readMetadataXml } from "../../../src/federation/protocols/saml2/xml-reading.js";
import { createLog } from "../../../src/platform/log.js";
import { sqliteDatabases } from "../../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../test-app.js";
import { metadata, signedResponse } from "./test-provider.js";

const SECRET = "alice-s3cret@example.org";

/** Shapes by which parsers give up, with a value where they quote one. */
const MALFORMED: readonly (readonly [string, string])[] = [
  ["an attribute without quotes", `<a mail=${SECRET}></a>`],
  ["an attribute without a value", `<a ${SECRET}></a>`],
  ["an attribute without an end", `<a mail="${SECRET}></a>`],
  ["an attribute that is there twice", `<a s3cret="1" s3cret="2"/>`],
  ["an entity that is not known", `<a>&alice_s3cret;</a>`],
  ["an end that begins otherwise", `<a><b>${SECRET}</s3cret></a>`],
  ["an end with more behind its name", `<a></a ${SECRET}>`],
  ["an end that is none", `<a></a${SECRET}`],
  ["a name that is none", `<a><1${SECRET}/></a>`],
  ["an element that does not end", `<a><b>${SECRET}`],
  ["a tag within a tag", `<a><b${SECRET}<c/></a>`],
  ["an attribute right behind another", `<a b="1"${SECRET}="2"/>`],
  ["a slash in a tag", `<a b/${SECRET}/></a>`],
  ["an upper-case end", `<s3cret></S3CRET>`],
];

/** All that a log may show of an error; none where there is none, as some of it is well-formed within another element. */
function refusalOf(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    const { name, message, stack, cause } = error as Error;
    return `${name}: ${message} ${stack} ${String(cause)}`;
  }
}

describe("XML that is not well-formed", () => {
  it.each(MALFORMED)("is rejected without a quotation: %s", (_, xml) => {
    const texts = [xml, `<r>${xml}</r>`, `<r>\n${xml}\n</r>`];
    const refusals = [readMessage, readMetadataXml].flatMap((read) =>
      texts.map((text) => refusalOf(() => read(text))),
    );
    expect(refusals.join("\n")).toContain("XmlError: XML is not well-formed");
    expect(refusals.join("\n")).not.toMatch(/s3cret/i);
  });

  it("is refused with its place, where an operator wrote it", () => {
    expect(() => readMetadataXml("<a>\n  <b c=d/>\n</a>")).toThrow(
      "XML is not well-formed at line 2, column 3",
    );
  });
});

describe("the log, at any level, of a login with XML that is not well-formed", () => {
  const PROVIDER = "/v3/OS-FEDERATION/identity_providers/acme";
  const AUTH = `${PROVIDER}/protocols/saml2/auth`;
  let service: TestApp;
  let app: App;
  let log = "";
  beforeAll(async () => {
    service = await testApp(
      sqliteDatabases,
      {},
      { log: createLog("trace", { write: (line) => (log += line) }) },
    );
    ({ app } = service);
    const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const auth = {
      identity: { methods: ["password"], password: { user } },
      scope: { system: { all: true } },
    };
    const login = await app.server.inject({ method: "POST", url: "/v3/auth/tokens", payload: { auth } });
    const put = async (url: string, payload: object) => {
      const headers = { "x-auth-token": login.headers["x-subject-token"] };
      const answer = await app.server.inject({ method: "PUT", url, headers, payload });
      expect(answer.statusCode).toBe(201);
    };
    await put("/v3/OS-FEDERATION/mappings/acme", {
      mapping: { rules: [{ remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] }] },
    });
    await put(PROVIDER, { identity_provider: { enabled: true } });
    const settings = { type: "saml2", idp_metadata_xml: metadata() };
    await put(`${PROVIDER}/protocols/saml2`, { protocol: { mapping_id: "acme", settings } });
    const broken = metadata().replace("<md:Single", `<md:X mail=${SECRET}/><md:Single`);
    await put(`${PROVIDER}/protocols/broken`, {
      protocol: { mapping_id: "acme", settings: { ...settings, idp_metadata_xml: broken } },
    });
  });
  afterAll(() => service.remove());

  it.each([
    ["a browser brings", (xml: string) => ({ SAMLResponse: Buffer.from(xml).toString("base64") })],
    ["a client carries", (xml: string) => xml],
  ])("has nothing of what %s", async (_, bodyOf) => {
    for (const [, broken] of MALFORMED) {
      log = "";
      const xml = signedResponse().replace(/<saml:AttributeStatement>/, () => `${broken}$&`);
      const body = bodyOf(`${xml}<${broken}`);
      const answer = await app.server.inject({
        method: "POST",
        url: AUTH,
        headers: {
          "content-type":
            typeof body === "string" ? "application/vnd.paos+xml" : "application/x-www-form-urlencoded",
        },
        payload: typeof body === "string" ? body : new URLSearchParams(body).toString(),
      });
      expect(answer.statusCode).toBe(401);
      expect(log).toContain("federated login refused");
      expect(log + answer.body).not.toMatch(/s3cret/i);
    }
  });

  it("has nothing of metadata", async () => {
    log = "";
    const answer = await app.server.inject({ url: AUTH.replace("saml2/auth", "broken/auth") });
    expect(answer.statusCode).toBe(401);
    expect(log).toMatch(/XML is not well-formed at line \d+, column \d+/);
    expect(log + answer.body).not.toMatch(/s3cret/i);
  });
});

describe("wide metadata of 960 KB", () => {
  const role = "<md:IDPSSODescriptor/>";
  const around = (content: string) =>
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://a">${role}${content}</md:EntityDescriptor>`;
  const repeat = (text: string) => text.repeat(960_000 / text.length);

  it.each([
    ["elements", repeat("<a/>"), "more than 40000 tags"],
    ["elements with text", repeat("<a>x</a>"), "more than 40000 tags"],
    ["elements within each other", repeat("<a>"), "more than 40000 tags"],
    ["comments", repeat("<!---->"), "more than 40000 tags"],
    [
      "attributes",
      `<a ${Array.from({ length: 96_000 }, (_, index) => `a${index}=""`).join(" ")}/>`,
      "more than 40000 attributes",
    ],
    ["namespaces", repeat(`<a xmlns:b="x"/>`), "more than 40000 tags"],
    ["levels", `${"<a>".repeat(70)}${"</a>".repeat(70)}`, "elements nested deeper than 64 levels"],
    ["characters", " ".repeat(1_048_577), "more than 1048576 characters"],
  ])("is refused for its %s before it is parsed", (_, content, reason) => {
    expect(() => readMetadataXml(around(content))).toThrow(reason);
  });
});
