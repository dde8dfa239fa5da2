/** The rules of the guides map their sample claims and assertions to the results that the guides show. */
import { Value } from "typebox/value";
import { describe, expect, it } from "vitest";

import { claimAttributes, type Claims } from "../../../src/federation/protocols/openid/claim-attributes.js";
import { assertionAttributes } from "../../../src/federation/protocols/saml2/assertion-attributes.js";
import { readMessage } from "../../../src/federation/protocols/saml2/xml-reading.js";
import { PROTOCOL_TYPES } from "../protocol-types.js";
import { createProtocolSettings } from "../../../src/identity-providers/protocols/protocol-settings.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../../src/mappings/rules/evaluate-mapping.js";
import { guidesWith, type Guide } from "./guide.js";

const { draftSchema } = createProtocolSettings(PROTOCOL_TYPES);

const parse = (guide: Guide, block: string): unknown => JSON.parse(guide.block(block));

function identityOf(rules: unknown, attributes: Assertion): unknown {
  const outcome = evaluateMapping(compileMapping({ rules, schemaVersion: undefined }), attributes);
  return outcome.kind === "mapped" ? outcome.identity : outcome.failure.reason;
}

/** All attributes of an access token or an ID token. */
function claimsOf(guide: Guide, kind: "access-token" | "id-token"): Claims | undefined {
  if (guide.has(kind)) return parse(guide, kind) as Claims;
  if (kind === "id-token" || !guide.has("token-info")) return undefined;
  return { ...(parse(guide, "user-info") as Claims), ...(parse(guide, "token-info") as Claims) };
}

/** An assertion of SAML around what a guide shows of one. */
function samlAttributes(guide: Guide): Assertion {
  const shown = guide.block("saml-assertion");
  const [, prefix = ""] = /^<(\w+:)?Subject>/.exec(shown) ?? [];
  const declaration = prefix === "" ? "xmlns" : `xmlns:${prefix.slice(0, -1)}`;
  const xml = `<${prefix}Assertion ${declaration}="urn:oasis:names:tc:SAML:2.0:assertion"><${prefix}Issuer>i</${prefix}Issuer>${shown}</${prefix}Assertion>`;
  return assertionAttributes(readMessage(xml), { prefix: "", remoteIdAttribute: null }).attributes;
}

const KINDS = ["access-token", "id-token"] as const;

describe.each(guidesWith("settings").map((guide) => [guide.name, guide] as const))(
  "docs/identity/providers/%s.md",
  (_, guide) => {
    const assertion = parse(guide, "assertion") as Assertion;

    it("has settings that a protocol may have", () => {
      for (const block of ["settings", "saml-settings"].filter((name) => guide.has(name)))
        expect(Value.Check(draftSchema, parse(guide, block))).toBe(true);
    });

    it("maps its claims to its result", () => {
      expect(identityOf(parse(guide, "rules"), assertion)).toEqual(parse(guide, "result"));
    });

    it("shows what rules see of its tokens", () => {
      const shown = KINDS.map((kind) => claimsOf(guide, kind)).filter((claims) => claims !== undefined);
      const isOfAll = !guide.has("browser-result");
      for (const claims of isOfAll ? shown : shown.slice(0, 1))
        expect(claimAttributes(claims).attributes).toMatchObject(assertion);
      expect(shown).not.toEqual([]);
    });

    it("maps its SAML assertion to its result", () => {
      expect(identityOf(parse(guide, "saml-rules"), samlAttributes(guide))).toEqual(
        parse(guide, "saml-result"),
      );
    });

    it("lists failures and their remedies", () => {
      expect(guide.reasons.openid.length).toBeGreaterThan(2);
      expect(guide.reasons.saml2.length).toBeGreaterThan(2);
    });
  },
);

it("there are guides", () => {
  const names = guidesWith("settings").map(({ name }) => name);
  expect(names).toEqual(["adfs", "entra-id", "google", "keycloak", "okta"]);
});
