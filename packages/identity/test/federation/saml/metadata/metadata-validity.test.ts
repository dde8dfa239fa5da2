/** `validUntil` and `cacheDuration` of metadata: of the provider's own descriptor and of all elements around it. */
import { describe, expect, it } from "vitest";

import { createMetadataCache } from "../../../../src/federation/protocols/saml2/metadata/metadata-cache.js";
import { samlReader } from "../../../../src/federation/protocols/saml2/saml-reader.js";
import { parseDuration } from "../../../../src/federation/protocols/saml2/xml-reading.js";
import { enabledProtocol } from "../../enabled-protocol.js";
import { ISSUER, metadata, NOW } from "../test-provider.js";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Metadata of a federation, with attributes of each element. */
function aggregate({ outer = "", inner = "", entity = "", role = "", other = "" }) {
  const own = metadata()
    .replace(/^[^]*-->\s*/, "")
    .replace("<md:EntityDescriptor", `<md:EntityDescriptor ${entity}`)
    .replace("<md:IDPSSODescriptor", `<md:IDPSSODescriptor ${role}`);
  const foreign = metadata()
    .replace(/^[^]*-->\s*/, "")
    .replace(ISSUER, "https://other.example.org")
    .replace("<md:EntityDescriptor", `<md:EntityDescriptor ${other}`);
  return `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ${outer}><md:EntitiesDescriptor ${inner}>${own}</md:EntitiesDescriptor>${foreign}</md:EntitiesDescriptor>`;
}

/** Logs in with inline metadata. @returns When it is read again, in milliseconds from now. */
async function lifeOf(xml: string, now = NOW): Promise<number> {
  const delays: number[] = [];
  const cache = createMetadataCache({
    readUrl: () => Promise.reject(new Error("nothing is downloaded")),
    reader: samlReader,
    clock: { now: () => now },
    schedule: (_work, delayMs) => delays.push(delayMs),
  });
  const settings = { type: "saml2", idp_metadata_xml: xml } as const;
  await cache.get(enabledProtocol({ settings, remoteIds: [ISSUER] }), { warn: () => {} });
  await new Promise((resolve) => setImmediate(resolve));
  return delays[0] ?? NaN;
}

describe("validUntil", () => {
  const past = 'validUntil="2026-11-21T11:59:00Z"';

  it.each([
    ["the entity", { entity: past }],
    ["its role", { role: past }],
    ["the group around it", { inner: past }],
    ["the whole document", { outer: past }],
    ["the document, before the entity's own", { outer: past, entity: 'validUntil="2027-01-01T00:00:00Z"' }],
  ])("of %s ends the use of metadata", async (_, parts) => {
    await expect(lifeOf(aggregate(parts))).rejects.toMatchObject({
      facts: {
        step: "metadata",
        reason:
          "the metadata expired: validUntil is 2026-11-21T11:59:00Z, 60 s ago (leeway 60 s); check the clocks of both, or provide newer metadata (idp_metadata_url, idp_metadata_xml)",
      },
    });
  });

  it("of another entity does not", async () => {
    expect(await lifeOf(aggregate({ other: past }))).toBeGreaterThan(0);
  });

  it("may have passed by less than a minute", async () => {
    expect(await lifeOf(aggregate({ entity: 'validUntil="2026-11-21T11:59:01Z"' }))).toBeGreaterThan(0);
  });

  it("that is no time in UTC is an error", async () => {
    await expect(lifeOf(aggregate({ entity: 'validUntil="2027-01-01"' }))).rejects.toThrow(
      'validUntil of EntityDescriptor is "2027-01-01", expected a time in UTC',
    );
  });
});

describe("cacheDuration", () => {
  // A refresh comes after 80 to 95 percent of it.
  it.each([
    ["five minutes without one", {}, 5 * MINUTE],
    ["the entity's", { entity: 'cacheDuration="PT1H"' }, HOUR],
    ["the shortest", { outer: 'cacheDuration="PT6H"', role: 'cacheDuration="PT30M"' }, 30 * MINUTE],
    ["five minutes at least", { entity: 'cacheDuration="PT1S"' }, 5 * MINUTE],
    ["a day at most", { entity: 'cacheDuration="P30D"' }, 24 * HOUR],
    ["five minutes if it is none", { entity: 'cacheDuration="6h"' }, 5 * MINUTE],
    [
      "the rest until validUntil, and a minute",
      { entity: 'cacheDuration="PT6H" validUntil="2026-11-21T13:00:00Z"' },
      61 * MINUTE,
    ],
  ])("is %s", async (_, parts, expected) => {
    const delay = await lifeOf(aggregate(parts));
    expect(delay).toBeGreaterThanOrEqual(0.8 * expected);
    expect(delay).toBeLessThanOrEqual(0.95 * expected);
  });

  // W3C XML Schema Part 2, 3.2.6, and calculated by hand.
  it.each([
    ["PT0S", 0],
    ["PT36H", 36 * HOUR],
    ["P1DT12H", 36 * HOUR],
    ["PT1M30.5S", 90_500],
    ["P1Y2M3DT10H30M", (365 + 60 + 3) * 24 * HOUR + 10 * HOUR + 30 * MINUTE],
    ["-P1D", undefined],
    ["P", undefined],
    ["PT", undefined],
    ["P1DT", undefined],
    ["P1S", undefined],
    ["1D", undefined],
    ["P1.5D", undefined],
    ["", undefined],
  ])("%j is read as xs:duration", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });
});
