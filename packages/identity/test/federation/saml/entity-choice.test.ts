/** A provider with several entities: the page on which users choose, and whom the chosen one may vouch for. */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inflateRawSync } from "node:zlib";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { DASHBOARD, ENV, loginServer, type LoginResponse, type LoginServer } from "../login-server.js";
import { aggregateXml, entityXml, type TestEntity } from "./metadata/test-aggregate.js";
import {
  newSigner,
  NOW,
  PROVIDER,
  signedMetadata,
  signedResponse,
  type ResponseParts,
  type Signer,
} from "./test-provider.js";
import { PUBLIC_URL } from "../../test-server.js";

const A = "https://a.example/idp";
const B = "https://b.example/idp";
const other = newSigner();
const LOGO = "https://logos.example/b.png";
const ENTITIES: readonly TestEntity[] = [
  {
    entityId: A,
    names: { en: "Uni &lt;A&gt;", de: "Universität A" },
    scope: "a.example",
    logo: "data:image/png;base64,AAAA",
  },
  { entityId: B, names: { en: "B College" }, scope: "b.example", signer: other, logo: LOGO },
  ...Array.from({ length: 60 }, (_, index) => ({
    entityId: `https://idp${index}.example`,
    names: { en: `School ${index}` },
  })),
];
const XML = signedMetadata(aggregateXml(ENTITIES.map(entityXml).join("\n")));
const AUTH = "/v3/OS-FEDERATION/identity_providers/federation/protocols/saml2/auth";
const WEBSSO = `/v3/auth/OS-FEDERATION/identity_providers/federation/protocols/saml2/websso?origin=${encodeURIComponent(DASHBOARD)}`;
const SP = `${PUBLIC_URL}/v3/OS-FEDERATION/saml2/idp`;

let server: LoginServer;
let publisher: Server;
let url: string;
let answer: (path: string) => { readonly status?: number; readonly text: string };
const asked: string[] = [];
let count = 0;

beforeAll(async () => {
  publisher = createServer(({ url: path = "" }, response) => {
    asked.push(path);
    const { status = 200, text } = answer(path);
    response.writeHead(status).end(text);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => publisher.once("listening", done));
  url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  const env = { ...ENV, IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8" };
  server = await loginServer(sqliteDatabases, { ...env, IDENTITY_RATE_LIMIT: "off" }, { now: NOW });
  const rules = [
    {
      local: [{ user: { name: "{0}" } }],
      remote: [{ type: "eduPersonPrincipalName" }],
    },
  ];
  await put("mappings/federation", { mapping: { rules } });
  await put("mappings/names", {
    mapping: { rules: [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "NAME_ID" }] }] },
  });
  const remoteIds = ENTITIES.map(({ entityId }) => entityId);
  await put("identity_providers/federation", { identity_provider: { enabled: true, remote_ids: remoteIds } });
  await use({ idp_metadata_xml: XML });
});
afterAll(async () => {
  await server.close();
  publisher.close();
});
beforeEach(() => void asked.splice(0));

async function put(path: string, body: object, method = "PUT"): Promise<void> {
  const { status, text } = await server.ask(method, `/v3/OS-FEDERATION/${path}`, { body });
  if (status >= 300) throw new Error(text);
}

async function use(settings: object, mapping = "federation"): Promise<void> {
  const path = "identity_providers/federation/protocols/saml2";
  await server.ask("DELETE", `/v3/OS-FEDERATION/${path}`);
  await put(path, { protocol: { mapping_id: mapping, settings: { type: "saml2", ...settings } } });
}

const get = (path: string, cookie = "", language = "en") =>
  server.ask("GET", path, {
    token: "",
    headers: { accept: "text/html", cookie, "accept-language": language },
  });
const cookiesOf = ({ headers }: LoginResponse): string[] =>
  ([headers["set-cookie"] ?? []].flat() as string[]).map((each) => each.split(";")[0] ?? "");
const choose = (entityId: string) => get(`${AUTH}?entityID=${encodeURIComponent(entityId)}`);

/** Begins at an entity and returns with a Response of another, or the same one. */
async function logIn(
  at: string,
  issuer: string,
  signer: Signer,
  { eppn, ...parts }: ResponseParts & { eppn?: string } = {},
): Promise<LoginResponse> {
  const step = await choose(at);
  const request = new URL(String(step.headers["location"])).searchParams.get("SAMLRequest") ?? "";
  const [, id = ""] = /ID="([^"]+)"/.exec(inflateRawSync(Buffer.from(request, "base64")).toString()) ?? [];
  const recipient = PUBLIC_URL + AUTH;
  count += 1;
  const attributes =
    eppn === undefined
      ? ""
      : `<saml:Attribute Name="urn:oid:1.3.6.1.4.1.5923.1.1.1.6" FriendlyName="eduPersonPrincipalName"><saml:AttributeValue>${eppn}</saml:AttributeValue></saml:Attribute>`;
  const xml = signedResponse(
    {
      issuer,
      inResponseTo: id,
      assertionId: `_c${count}`,
      audience: SP,
      recipient,
      destination: recipient,
      attributes,
      ...parts,
    },
    { of: `_c${count}`, signer },
  );
  return server.ask("POST", AUTH, {
    token: "",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: cookiesOf(step).join("; ") },
    body: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64") }).toString() as never,
  });
}

const lastReason = (): unknown => server.refusals.at(-1)?.["reason"];

describe("the page of a provider with several entities", () => {
  it("lists them by names in the browser's language, with a search and without scripts", async () => {
    const page = await get(AUTH, "", "de-DE,de;q=0.9,en;q=0.1");
    expect(page.status).toBe(200);
    expect((await get(`${AUTH}?q=a.example`, "", "de-DE,de;q=0.9,en;q=0.1")).text).toContain("Universität A");
    expect(page.text).toContain("50 of 62 are shown");
    expect(page.text).not.toContain("<script");
    expect((await get(`${AUTH}?q=a.example`)).text).toContain("Uni &lt;A&gt;");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(page.headers["cache-control"]).toContain("no-store");
  });

  it("finds them by parts of names in any language, without accents and case, and by entity ID", async () => {
    for (const search of ["universitat", "UNI a", "a.example/idp"])
      expect((await get(`${AUTH}?q=${encodeURIComponent(search)}`)).text).toContain("Uni &lt;A&gt;");
    const none = await get(`${AUTH}?q=${encodeURIComponent('"><script>')}`);
    expect(none.text).toContain("Nothing was found");
    expect(none.text).not.toContain("<script");
  });

  it("keeps the dashboard in its links, which lead nowhere else", async () => {
    const page = await get(`${WEBSSO}&return=https%3A%2F%2Fevil.example&q=college`);
    const [, link = ""] = /<a href="([^"]*)"/.exec(page.text) ?? [];
    expect(link.startsWith("?")).toBe(true);
    const query = new URLSearchParams(link.slice(1).replaceAll("&amp;", "&"));
    expect([query.get("origin"), query.get("entityID"), query.get("q")]).toEqual([DASHBOARD, B, null]);
    const refused = await get(WEBSSO.replace(/origin=.*/, "origin=https%3A%2F%2Fevil.example"));
    expect(refused.status).toBe(401);
    const begun = await get(`${WEBSSO}&entityID=${encodeURIComponent(B)}`);
    expect(String(begun.headers["location"])).toMatch(
      /^https:\/\/b\.example\/idp\/sso\?a=1&b=2&SAMLRequest=/,
    );
  });

  it("remembers the choice, and shows it first", async () => {
    const begun = await choose("https://idp42.example");
    const all = [begun.headers["set-cookie"] ?? []].flat() as string[];
    const cookie = all.find((each) => each.startsWith("chosen-entity-")) ?? "";
    expect(cookie).toMatch(/; Path=\/v3; Max-Age=7776000; HttpOnly; SameSite=Lax/);
    expect(cookie).not.toContain("idp42");
    const page = await get(WEBSSO, cookie.split(";")[0]);
    expect(page.text).toMatch(/<ul[^>]*>\s*<li><a[^>]*><span>School 42<\/span><small>chosen before/);
  });

  it("loads no logos of other hosts unless that is set, and never what is no image", async () => {
    const page = await get(`${AUTH}?q=college`);
    expect(page.text).not.toContain("logos.example");
    expect(String(page.headers["content-security-policy"])).toMatch(/img-src data:;/);
    expect((await get(`${AUTH}?q=universit`)).text).toContain('<img src="data:image/png;base64,AAAA"');
    await use({ idp_metadata_xml: XML, discovery_logos: true });
    const allowed = await get(`${AUTH}?q=college`);
    expect(allowed.text).toContain(`<img src="${LOGO}" alt="" referrerpolicy="no-referrer"`);
    expect(String(allowed.headers["content-security-policy"])).toContain(
      "img-src data: https://logos.example;",
    );
  });

  it("keeps hosts of logos out of the content security policy that would end its directive", async () => {
    const evil = ["https://a;script-src.example/x", "https://logos.example,b/x"];
    const xml = aggregateXml(
      ENTITIES.slice(0, 2)
        .map((each, index) => entityXml({ ...each, logo: evil[index] ?? "" }))
        .join(""),
    );
    await use({ idp_metadata_xml: xml, discovery_logos: true });
    const page = await get(AUTH);
    expect(page.text).not.toContain("<img");
    expect(String(page.headers["content-security-policy"])).toMatch(/img-src data:;/);
    await use({ idp_metadata_xml: XML });
  });

  it("refuses an entity that the provider does not have", async () => {
    expect((await choose("https://none.example")).status).toBe(401);
    expect(lastReason()).toContain("is none of the 62 entities of the provider");
  });
});

describe("a login at one of several entities", () => {
  it("is by its own keys, and names users by its scope", async () => {
    const one = await logIn(A, A, PROVIDER, { eppn: "kim@a.example" });
    expect([one.status, one.body?.token.user.name]).toEqual([201, "kim@a.example"]);
    const two = await logIn(B, B, other, { eppn: "kim@b.example" });
    expect([two.status, two.body?.token.user.name]).toEqual([201, "kim@b.example"]);
  });

  it.each<[what: string, issuer: string, signer: Signer, parts: object, reason: string]>([
    ["signed by another entity", A, other, { eppn: "kim@a.example" }, "signature does not verify"],
    [
      "issued and signed by another entity than the chosen one",
      B,
      other,
      { eppn: "kim@b.example" },
      "signature does not verify",
    ],
    [
      "of an issuer that is none of them",
      "https://none.example",
      PROVIDER,
      { eppn: "kim@a.example" },
      "none.example",
    ],
  ])("is refused if it is %s", async (_, issuer, signer, parts, reason) => {
    expect((await logIn(A, issuer, signer, parts)).status).toBe(401);
    expect(lastReason()).toContain(reason);
  });

  it("has no scoped values of other entities", async () => {
    const refused = await logIn(B, B, other, { eppn: "kim@a.example" });
    expect(refused.status).toBe(401);
    expect((await logIn(B, B, other, { eppn: "kim@evil.example@b.example" })).status).toBe(201);
    expect((await logIn(B, B, other, { eppn: "b.example" })).status).toBe(401);
  });

  it("has NameIDs that begin with the entity's ID: equal ones are other users", async () => {
    await use({ idp_metadata_xml: XML }, "names");
    const names = [
      await logIn(A, A, PROVIDER, { nameId: "kim" }),
      await logIn(B, B, other, { nameId: "kim" }),
    ].map(({ body }) => body?.token.user.name as string);
    expect(names).toEqual([`${A}!kim`, `${B}!kim`]);
  });
});

describe("an aggregate at a URL, and a metadata query service", () => {
  const signers = { idp_metadata_certificates: [PROVIDER.certificate] };

  it("reads an aggregate of more than a megabyte as it comes, and keeps the old one where it fails", async () => {
    const filling = Array.from({ length: 900 }, (_, index) =>
      entityXml({ entityId: `https://more${index}.example` }),
    );
    const large = signedMetadata(
      aggregateXml([...ENTITIES.map(entityXml), ...filling].join("\n"), ' cacheDuration="PT1H"'),
    );
    expect(large.length).toBeGreaterThan(1 << 20);
    answer = () => ({ text: large });
    await use({ idp_metadata_url: `${url}/aggregate`, ...signers });
    asked.splice(0);
    expect((await logIn(B, B, other, { eppn: "kim@b.example" })).status).toBe(201);
    expect((await logIn(A, A, PROVIDER, { eppn: "kim@a.example" })).status).toBe(201);
    expect(asked).toHaveLength(1);
    answer = () => ({ text: large.replace(`${A}/sso`, "https://evil.example/sso") });
    const before = server.time.now;
    server.time.now += 3_700_000;
    try {
      const step = await choose(A);
      expect(String(step.headers["location"])).toContain("https://a.example/idp/sso");
      expect(server.warnings.at(-1)).toMatchObject({ msg: "metadata not renewed" });
    } finally {
      server.time.now = before;
    }
  });

  it("asks a metadata query service by SHA-1 of the entity ID, and wants signed answers about that entity", async () => {
    const pathOf = (entityId: string) =>
      `/mdq/entities/${encodeURIComponent(`{sha1}${createHash("sha1").update(entityId).digest("hex")}`)}`;
    const one = (entity: TestEntity) =>
      signedMetadata(
        entityXml(entity).replace(
          "<md:EntityDescriptor ",
          '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ',
        ),
      );
    const [a, b] = ENTITIES.slice(0, 2) as [TestEntity, TestEntity];
    await put("identity_providers/federation", { identity_provider: { remote_ids: [A, B] } }, "PATCH");
    answer = (path) => ({ text: path === pathOf(A) ? one(a) : one(b) });
    await use({ idp_mdq_url: `${url}/mdq/`, ...signers });
    expect((await logIn(A, A, PROVIDER, { eppn: "kim@a.example" })).status).toBe(201);
    expect(new Set(asked)).toEqual(new Set([pathOf(A), pathOf(B)]));
    // One that has left the federation is not among the choices.
    answer = (path) => (path === pathOf(A) ? { text: one(a) } : { status: 404, text: "" });
    await use({ idp_mdq_url: `${url}/mdq`, ...signers });
    const only = await get(AUTH);
    expect(String(only.headers["location"])).toContain("https://a.example/idp/sso");
    for (const [text, reason] of [
      [one({ ...a, entityId: "https://evil.example" }), "is not among the provider's remote_ids"],
      [one(a).replace(/<ds:Signature [\s\S]*?<\/ds:Signature>/, ""), "is not signed"],
    ] as const) {
      answer = (path) => (path === pathOf(A) ? { text } : { status: 404, text: "" });
      await use({
        idp_mdq_url: `${url}/mdq?${count++}`.replace(/\?.*/, ""),
        ...signers,
        discovery_logos: count % 2 === 0,
      });
      expect((await get(AUTH)).status).toBe(401);
      expect(lastReason()).toContain(reason);
    }
  });
});
