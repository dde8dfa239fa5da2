/** Aggregates: what is read of good ones, and attacks. xmlsec1 signs some in `test-system`. */
import { X509Certificate } from "node:crypto";

import { expect, it } from "vitest";

import {
  readAggregateProviders,
  type AggregateTask,
} from "../../../../src/federation/protocols/saml2/metadata/aggregate-reader.js";
import { newSigner, PROVIDER, signedMetadata } from "../test-provider.js";
import { aggregateXml, entityXml } from "./test-aggregate.js";

const A = "https://a.example/idp";
const B = "https://b.example/idp";
const trust = {
  certificates: [new X509Certificate(PROVIDER.certificate)],
  weakKeys: [],
  allowsSha1: false,
};
const SIGNED: AggregateTask = { entityIds: [A], trust };

/** In pieces that divide names, entities and characters of several bytes. */
async function* pieces(text: string, bytes = 37): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let start = 0; start < all.length; start += bytes) yield all.subarray(start, start + bytes);
}

const read = (xml: string, task: AggregateTask = SIGNED) => readAggregateProviders(pieces(xml), task);
const both =
  entityXml({ entityId: A, names: { de: "Universität &amp; Ä 😀", en: "University" } }) +
  entityXml({ entityId: B });

it("reads the wanted entities of a signed aggregate, with what holds around them", async () => {
  const nested = aggregateXml(
    `<md:EntitiesDescriptor cacheDuration="PT2H" validUntil="2099-01-01T00:00:00Z">${both}</md:EntitiesDescriptor>`,
    ' cacheDuration="PT6H" validUntil="2098-01-01T00:00:00Z"',
  );
  const { providers, kept } = await read(signedMetadata(nested));
  expect(providers).toMatchObject([
    {
      entityId: A,
      names: { de: "Universität & Ä 😀", en: "University" },
      redirectUrl: `${A}/sso?a=1&b=2`,
      validUntil: Date.parse("2098-01-01T00:00:00Z"),
      cacheMs: 2 * 3_600_000,
    },
  ]);
  expect(kept).not.toContain(B);
  const several = await read(signedMetadata(nested), { entityIds: [A, B, "https://none.example"], trust });
  expect(several.providers.map(({ entityId }) => entityId)).toEqual([A, B]);
});

it("lists all identity providers by names, domains and ids, service providers not", async () => {
  const service = `<md:EntityDescriptor entityID="https://sp.example"><md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:Extensions><mdui:UIInfo xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui"><mdui:DisplayName xml:lang="en">A service</mdui:DisplayName></mdui:UIInfo></md:Extensions></md:SPSSODescriptor></md:EntityDescriptor>`;
  const named = entityXml({
    entityId: A,
    names: { de: "Universität &amp; Ä 😀", en: " Univer\n  sity " },
    scope: "a.example",
  });
  const organization = entityXml({ entityId: B }).replace(
    "</md:EntityDescriptor>",
    `<md:Organization><md:OrganizationDisplayName xml:lang="en">College B</md:OrganizationDisplayName></md:Organization></md:EntityDescriptor>`,
  );
  const hidden = entityXml({
    entityId: "https://c.example",
    extension: entityXml({ entityId: "https://inner.example" }),
  });
  const xml = signedMetadata(aggregateXml(named + service + organization + hidden));
  const { listed, providers } = await read(xml, { entityIds: [B], trust, lists: true });
  expect(listed).toEqual([
    { id: A, names: { de: "Universität & Ä 😀", en: "Univer sity" }, scopes: ["a.example"] },
    { id: B, names: { en: "College B" }, scopes: [] },
    { id: "https://c.example", names: {}, scopes: [] },
  ]);
  expect(providers.map(({ entityId }) => entityId)).toEqual([B]);
  expect((await read(xml, { entityIds: [B], trust })).listed).toEqual([]);
});

it("is read again after six hours, where it names no duration", async () => {
  const { providers } = await read(aggregateXml(both), { entityIds: [A] });
  expect(providers[0]?.cacheMs).toBe(6 * 3_600_000);
});

it("reads a signature with inclusive prefixes, single quotes, references and line ends of any system", async () => {
  const xml = aggregateXml(both, " xmlns:un='urn:unused'").replaceAll(
    "https://federation.example",
    "a&#x9;&quot;&#13;b'&gt;",
  );
  expect((await read(signedMetadata(xml))).providers).toHaveLength(1);
  expect((await read(signedMetadata(xml).replaceAll("\n", "\r\n"))).providers).toHaveLength(1);
});

const entities = (one: string) => `<!ENTITY a "${one}"><!ENTITY b "${"&a;".repeat(10)}">`;

it.each<[attack: string, xml: string, reason: RegExp, task?: AggregateTask]>([
  [
    "not signed, where a signer is configured",
    aggregateXml(both),
    /is not signed: the first element in "EntitiesDescriptor" is no Signature/,
  ],
  ["empty and not signed", aggregateXml(""), /is not signed/],
  [
    "signed by another",
    signedMetadata(aggregateXml(both), { signer: newSigner() }),
    /signature does not verify with any trusted certificate/,
  ],
  [
    "changed behind the signature",
    signedMetadata(aggregateXml(both)).replace(`${A}/sso`, "https://evil.example"),
    /digest does not match/,
  ],
  [
    "with another entity behind the signed ones",
    signedMetadata(aggregateXml(both)).replace(
      "</md:EntitiesDescriptor>",
      `${entityXml({ entityId: "https://c.example" })}</md:EntitiesDescriptor>`,
    ),
    /digest does not match/,
  ],
  [
    "within an unsigned one (XSW)",
    aggregateXml(
      `${entityXml({ entityId: A })}${signedMetadata(aggregateXml(both)).replace(/<\?xml[^>]*\?>/, "")}`,
    ),
    /is not signed/,
  ],
  [
    "signed in a part, whose signature was moved to the root (XSW)",
    movedSignature(),
    /URI of the signature's Reference/,
  ],
  ["a second root of the same id (XSW)", copiedRoot(), /duplicate ID attribute "_metadata"/],
  [
    "two signatures",
    signedMetadata(aggregateXml(both)).replace(
      /<ds:Signature [\s\S]*?<\/ds:Signature>(?=\s*<md:EntityD)/,
      (text) => text + text,
    ),
    /second Signature/,
  ],
  [
    "entities of its own",
    `<!DOCTYPE x [${entities("b".repeat(1000))}]>${aggregateXml("&b;").replace(/<\?xml[^>]*\?>/, "")}`,
    /DOCTYPE/,
  ],
  ["an unknown entity", aggregateXml(`${both}&b;`), /not well-formed/, { entityIds: [A] }],
  [
    "the wanted entity twice",
    signedMetadata(aggregateXml(both + entityXml({ entityId: A }))),
    /describes "https:\/\/a\.example\/idp" twice/,
  ],
  ["a CDATA section", aggregateXml(`${both}<![CDATA[x]]>`), /CDATA/, { entityIds: [A] }],
  ["a processing instruction", aggregateXml(`<?x y?>${both}`), /processing instructions/, { entityIds: [A] }],
  ["a root of something else", "<html/>", /root element is "html"/],
  ["elements that do not match", aggregateXml(`<md:x></md:y>`), /not well-formed/, { entityIds: [A] }],
  ["a prefix that nothing declares", aggregateXml(`<no:x/>`), /not well-formed/, { entityIds: [A] }],
  ["deep nesting", aggregateXml("<md:x>".repeat(100)), /nested deeper than 64/, { entityIds: [A] }],
  [
    "a text without an end",
    aggregateXml("x".repeat(3 << 20)),
    /more than 1048576 characters/,
    { entityIds: [A] },
  ],
  [
    "a tag without an end",
    `${aggregateXml("").replace("</md:EntitiesDescriptor>", "")}<md:x a="${"a".repeat(3 << 20)}`,
    /more than 1048576 characters/,
    { entityIds: [A] },
  ],
  [
    "an entity without an end",
    aggregateXml(`<md:EntityDescriptor entityID="${A}">${"<md:x/>".repeat(200_000)}`),
    /more than 1048576 characters/,
    { entityIds: [A] },
  ],
  ["cut off", signedMetadata(aggregateXml(both)).slice(0, -40), /not well-formed/],
])("refuses an aggregate that is hostile: %s", async (_, xml, reason, task) => {
  await expect(readAggregateProviders(pieces(xml, 65_536), task ?? SIGNED)).rejects.toThrow(reason);
});

it("reads the other entities of one whose certificate is none, and says so of that one", async () => {
  const bad = entityXml({ entityId: A, signer: { ...PROVIDER, certificate: "AAAA" } });
  const xml = signedMetadata(aggregateXml(bad + entityXml({ entityId: B })));
  const { providers } = await readAggregateProviders(pieces(xml, 65_536), { ...SIGNED, entityIds: [A, B] });
  expect(providers.map(({ entityId, certificates }) => [entityId, certificates.length])).toEqual([
    [A, 0],
    [B, 1],
  ]);
  expect(providers[0]?.weakKeys).toEqual(["malformed (certificate 1 of 1)"]);
});

it("refuses bytes that are not UTF-8", async () => {
  await expect(
    read(aggregateXml(both).replace("Universität", "x"), { entityIds: [A] }),
  ).resolves.toBeDefined();
  const bytes = Buffer.from(aggregateXml(both));
  bytes[bytes.indexOf("Universit")] = 0xff;
  async function* once() {
    yield bytes;
  }
  await expect(readAggregateProviders(once(), { entityIds: [A] })).rejects.toThrow("not UTF-8");
});

it("reads no entity out of the extensions of another one, which writes these itself", async () => {
  const inside = entityXml({ entityId: A, names: { en: "Evil" } });
  const xml = signedMetadata(aggregateXml(entityXml({ entityId: B, extension: inside })));
  expect((await read(xml)).providers).toEqual([]);
  expect((await read(xml, { entityIds: [B], trust })).providers).toMatchObject([{ entityId: B }]);
});

/** The signature of the entity, as the first child of the root. */
function movedSignature(): string {
  const signed = signedMetadata(
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${B}"/>`,
  );
  const [signature = ""] = /<ds:Signature [\s\S]*<\/ds:Signature>/.exec(signed) ?? [];
  return aggregateXml(signature + signed.replace(signature, "") + entityXml({ entityId: A }), ' ID="_root"');
}

/** The signed document within another root with the id that the signature covers. */
function copiedRoot(): string {
  const signed = signedMetadata(aggregateXml(both)).replace(/<\?xml[^>]*\?>/, "");
  const [signature = ""] = /<ds:Signature [\s\S]*?<\/ds:Signature>/.exec(signed) ?? [];
  return aggregateXml(
    signature + entityXml({ entityId: A }) + signed.replace(signature, ""),
    ' ID="_metadata"',
  );
}
