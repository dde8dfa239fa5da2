/** Checks of SAML settings against metadata. */
import { describe, expect, it } from "vitest";

import type { Saml2Settings } from "../../../src/federation/protocols/saml2/metadata/metadata-cache.js";
import { samlReader } from "../../../src/federation/protocols/saml2/saml-reader.js";
import { ISSUER, metadata, newSigner, NOW, PROVIDER } from "../saml/test-provider.js";
import {
  checkWith,
  type CheckChoices,
  ENTITY_ID,
  messagesOf,
  protocolChecks,
  summaryOf,
} from "./checked-protocol.js";

const DAY_MS = 86_400_000;
const INLINE: Saml2Settings = { type: "saml2", idp_metadata_xml: metadata() };
const BY_URL: Saml2Settings = { type: "saml2", idp_metadata_url: "https://idp.example.org/metadata" };

/** @param at The time. Certificates of these tests are valid for a day from {@link NOW}. */
const check = (settings: Saml2Settings, choices: CheckChoices = {}, remoteIds = [ISSUER]) =>
  checkWith(protocolChecks({ clock: { now: () => NOW }, ...choices }), settings, remoteIds);

describe("checks of SAML settings", () => {
  it("warn of a certificate that ends soon, and name what to register", async () => {
    const report = await check(INLINE);
    expect(summaryOf(report)).toEqual([
      "mapping ok",
      "references ok",
      "metadata ok",
      "remote-ids ok",
      "certificates warning",
      "bindings ok",
      "name-id ok",
    ]);
    expect(messagesOf(report, "certificates")[0]).toMatch(
      /^signing certificate sha256:[0-9a-f]{64} \(RSA, 2048 bits\) is valid from 2026-11-21T11:59:59\S+ until 2026-11-22T12:00:00\S+: /,
    );
    expect(report.register).toEqual({
      entity_id: ENTITY_ID,
      acs_url: "https://id.example.org/v3/OS-FEDERATION/identity_providers/acme/protocols/p/auth",
      metadata_url: "https://id.example.org/v3/OS-FEDERATION/saml2/metadata",
    });
  });

  it("of a federation's metadata go on reading it, which is no failure", async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      await new Promise(() => {});
      yield new Uint8Array();
    }
    const report = await check(BY_URL, { readUrl: async () => ({ content: never() }), waitMs: 20 });
    expect(summaryOf(report)).toEqual(["mapping ok", "references ok", "metadata warning"]);
    expect(messagesOf(report, "metadata")[0]).toContain("still being read");
  });

  it("fail once where a server does not answer in time", async () => {
    const readUrl = () => new Promise<never>(() => {});
    const report = await check(BY_URL, { readUrl, waitMs: 20, timeoutMs: 100 });
    expect(summaryOf(report)).toEqual(["mapping ok", "references ok", "metadata failure"]);
    expect(messagesOf(report, "metadata")).toEqual(["not finished within 100 ms"]);
  });

  it("name the entity ID of the protocol", async () => {
    const { register } = await check({ ...INLINE, sp_entity_id: "urn:mine" });
    expect(register["entity_id"]).toBe("urn:mine");
  });

  it.each([
    [NOW + DAY_MS, /expired at 2026-11-22T12:00:00/],
    [NOW - DAY_MS, /not yet at 2026-11-20T12:00:00\S+: check the clocks$/],
  ])("warn of the dates of certificates at %d", async (now, message) => {
    const report = await check(INLINE, { clock: { now: () => now } });
    expect(summaryOf(report)).toContain("certificates warning");
    expect(messagesOf(report, "certificates")[0]).toMatch(message);
  });

  it("fail where the metadata has weak keys alone", async () => {
    const report = await check({ type: "saml2", idp_metadata_xml: metadata(newSigner(1024)) });
    expect(summaryOf(report)).toContain("certificates failure");
    expect(messagesOf(report, "certificates")[0]).toMatch(
      /^ignored: RSA key of 1024 bits, expected at least 2048 \(certificate sha256:[0-9a-f]{64}\)$/,
    );
  });

  const certificateIn = (xml: string) => /<ds:KeyInfo[\s\S]*?<\/ds:KeyInfo>/.exec(xml)?.[0] ?? "";
  it.each([
    ["malformed", 1, "AAAA", "ignored: malformed (certificate 2 of 2)"],
    ["more than are used", 16, undefined, "ignored: beyond the first 16 of 17 certificates to sign with"],
  ])("warn of certificates that are %s, beside others", async (_, count, text, message) => {
    const xml = metadata();
    const one = certificateIn(xml);
    const other = text === undefined ? one : one.replace(/(X509Certificate>)[^<]+/, `$1${text}`);
    const descriptor = `</md:KeyDescriptor><md:KeyDescriptor use="signing">`;
    const more = Array.from({ length: count }, () => descriptor + other).join("");
    const report = await check({ type: "saml2", idp_metadata_xml: xml.replace(one, one + more) });
    expect(messagesOf(report, "certificates")).toContain(message);
    expect(summaryOf(report)).toContain("certificates warning");
  });

  it("fail where the entity ID is not among the remote ids", async () => {
    const report = await check(INLINE, {}, ["https://other.example.org"]);
    expect(messagesOf(report, "remote-ids")[0]).toContain(
      `"${ISSUER}" is not among the provider's remote_ids`,
    );
  });

  it("warn without a binding for browsers", async () => {
    const report = await check({ type: "saml2", idp_metadata_xml: metadata(PROVIDER, "SOAP") });
    expect(summaryOf(report)).toContain("bindings warning");
  });

  it.each([
    ["failure", INLINE, NOW],
    ["warning", INLINE, NOW + DAY_MS],
    ["ok", INLINE, NOW + 31 * DAY_MS],
    ["ok", BY_URL, NOW + DAY_MS],
  ])("give %s for the validity of %j until %d", async (status, settings, validUntil) => {
    const report = await check(settings, {
      readUrl: async () => ({ content: metadata() }),
      reader: {
        readMetadata: async (task) => ({
          ...(await samlReader.readMetadata(task)),
          validUntil,
          cacheMs: undefined,
        }),
      },
    });
    expect(summaryOf(report)).toContain(`metadata-validity ${status}`);
  });

  it("name the reason why metadata can't be read", async () => {
    const report = await check({ type: "saml2", idp_metadata_xml: "<x/>" });
    expect(messagesOf(report, "metadata")[0]).toMatch(
      /expected one: check "idp_metadata_xml" of the settings$/,
    );
    expect(summaryOf(report)).toEqual(["mapping ok", "references ok", "metadata failure"]);
  });

  it("name the network error of a download, and refuse HTTP without a request", async () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const down = await check(BY_URL, {
      readUrl: () => Promise.reject(new Error("request to idp.example.org: no response", { cause: refused })),
    });
    expect(messagesOf(down, "metadata")).toEqual([
      'request to idp.example.org: no response (ECONNREFUSED): check "idp_metadata_url", "https://idp.example.org/metadata" of ' +
        "the settings",
    ]);
    const open = await check(
      { type: "saml2", idp_metadata_url: "http://127.0.0.1:1/metadata" },
      { allowsHttpIssuers: false },
    );
    expect(messagesOf(open, "metadata")).toEqual([
      'idp_metadata_url "http://127.0.0.1:1/metadata" is an HTTP address, expected https: change it, or, for development, set ' +
        "IDENTITY_ALLOW_HTTP_ISSUERS",
    ]);
  });

  it("fail where the protocol's own key is incomplete, or of another certificate", async () => {
    const [own, other] = [newSigner(), newSigner()];
    const pem = (signer: typeof own) => signer.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const withKey = { ...INLINE, sp_certificate: own.certificate, sp_private_key: pem(own) };
    expect(summaryOf(await check(withKey))).toContain("sp-key warning");
    expect(messagesOf(await check({ ...withKey, sp_private_key: pem(other) }), "sp-key")).toEqual([
      "sp_private_key is not the key of sp_certificate: set both of one key pair",
    ]);
    expect(messagesOf(await check({ ...withKey, sp_private_key: null }), "sp-key")).toEqual([
      "sp_private_key is missing, so that the service's own key is used: set both, or none",
    ]);
  });

  const listing = (...formats: readonly string[]) => {
    const elements = formats.map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`).join("");
    return metadata().replace("<md:SingleSignOnService", `${elements}<md:SingleSignOnService`);
  };
  const [PERSISTENT, TRANSIENT] = ["persistent", "transient"].map(
    (name) => `urn:oasis:names:tc:SAML:2.0:nameid-format:${name}`,
  ) as [string, string];

  it.each([
    ["proposes persistent names", [TRANSIENT, PERSISTENT], undefined, "ok", "set name_id_format"],
    ["warns of transient names alone", [TRANSIENT], undefined, "warning", "transient NameIDs alone"],
    ["warns of a format that is not listed", [TRANSIENT], PERSISTENT, "warning", "does not list"],
    ["warns where transient names are requested", [], TRANSIENT, "warning", "another one at each login"],
    ["accepts one that is listed", [PERSISTENT], PERSISTENT, "ok", "are requested"],
  ])("about NameIDs %s", async (_, formats, wanted, status, text) => {
    const report = await check({
      type: "saml2",
      idp_metadata_xml: listing(...formats),
      ...(wanted !== undefined && { name_id_format: wanted }),
    });
    const found = report.checks.find((finding) => finding.check === "name-id");
    expect(found).toMatchObject({ status, message: expect.stringContaining(text) });
    const isProposed = wanted === undefined && formats.includes(PERSISTENT);
    expect(found?.proposal).toEqual(isProposed ? { settings: { name_id_format: PERSISTENT } } : undefined);
  });

  it("propose the entity ID as a remote id, where it is not one yet", async () => {
    for (const remoteIds of [[], ["https://other.example.org"]]) {
      const { checks } = await check(INLINE, {}, remoteIds);
      expect(checks.find((finding) => finding.check === "remote-ids")?.proposal).toEqual({
        remote_id: ISSUER,
      });
    }
    const { checks } = await check(INLINE);
    expect(checks.find((finding) => finding.check === "remote-ids")).not.toHaveProperty("proposal");
  });

  it("say whether front ends are accepted", async () => {
    const trusted = { header: "X-A", secret: "s", isForwarder: () => true, remoteIdAttribute: undefined };
    for (const frontEnd of [trusted, undefined]) {
      const report = await checkWith(protocolChecks({ frontEnd }), { type: "forwarded" });
      expect(summaryOf(report)).toContain(`front-end ${frontEnd === undefined ? "failure" : "ok"}`);
    }
  });
});
