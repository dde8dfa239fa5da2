/** The guides: their settings are accepted, and tokens as their providers issue them come to what is said. */
import { readdirSync, readFileSync } from "node:fs";

import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isBrowserStep } from "../../../src/federation/assertion-verifier.js";
import type { LoginRequests } from "../../../src/federation/login-requests.js";
import type { OpenIdSettings } from "../../../src/federation/openid/openid-settings.js";
import { ProtocolSettingsDraft } from "../../../src/identity-providers/protocol-settings.js";
import { compileMapping } from "../../../src/mappings/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../../src/mappings/evaluate-mapping.js";
import { AUTH_URL, startProvider, type TestProvider } from "./test-provider.js";
import { assertionFor, bearing, protocolOf, requestOf, testVerifier } from "./test-verifier.js";

const FOLDER = new URL("../../../../../docs/identity/providers/", import.meta.url);

type Claims = Record<string, unknown>;

/** The blocks of a guide, by their names. */
function blocksOf(guide: string): ReadonlyMap<string, unknown> {
  const text = readFileSync(new URL(guide, FOLDER), "utf8");
  const blocks = text.matchAll(/^```json ([\w-]+)\n([\s\S]*?)^```$/gm);
  return new Map(Array.from(blocks, ([, name = "", body = ""]) => [name, JSON.parse(body) as unknown]));
}

/** Guides of other protocols have other blocks. */
const guides = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".md"))
  .map((name) => [name, blocksOf(name)] as const)
  .filter(([, blocks]) => (blocks.get("settings") as { type?: string } | undefined)?.type === "openid");

let op: TestProvider;
beforeAll(async () => {
  op = await startProvider();
});
afterAll(() => op.close());

/** A browser's memory, as one replica needs it. */
function remembering(): LoginRequests {
  const carried = new Map<string, unknown>();
  return {
    begin({ id, data }) {
      carried.set(id, data);
      return id;
    },
    open: (_, id) => carried.get(id),
    wasUsed: async () => false,
    use: async () => true,
  };
}

/** The settings, with the provider of the test in the place of the one that they are for. */
function protocolFor(settings: unknown) {
  return protocolOf(op.issuer, { audiences: [], ...(settings as OpenIdSettings), issuer: op.issuer });
}

function sign(claims: Claims, others: Claims): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const times = { iat: seconds, exp: seconds + 300 };
  return op.keys.sign({ ...claims, ...times, ...others, iss: op.issuer }, { typ: "JWT" });
}

async function byAccessToken(settings: unknown, claims: Claims): Promise<Assertion> {
  const token = await sign(claims, {});
  return (await assertionFor(testVerifier().verify(bearing(token), protocolFor(settings)))).attributes;
}

async function byBrowser(settings: unknown, claims: Claims): Promise<Assertion> {
  const verifier = testVerifier({ loginRequests: remembering() });
  const step = await verifier.verify(requestOf(), protocolFor(settings));
  if (!isBrowserStep(step)) throw new TypeError("nobody was asked");
  const asked = new URL(String(step.headers["location"])).searchParams;
  const idToken = await sign(claims, { nonce: asked.get("nonce") });
  op.answers.set("/token", (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token: "a", token_type: "Bearer", id_token: idToken }));
  });
  expect(asked.get("redirect_uri")).toBe(AUTH_URL);
  const query = new Map([
    ["state", asked.get("state") ?? ""],
    ["code", "c"],
    ["iss", op.issuer],
  ]);
  const [cookie = ""] = String(step.headers["set-cookie"]).split(";");
  const request = requestOf({ headers: { cookie }, query });
  return (await assertionFor(verifier.verify(request, protocolFor(settings)))).attributes;
}

function identityOf(rules: unknown, attributes: Assertion): unknown {
  const outcome = evaluateMapping(compileMapping({ rules, schemaVersion: undefined }), attributes);
  return outcome.kind === "mapped" ? outcome.identity : outcome.failure.reason;
}

describe.each(guides)("docs/identity/providers/%s", (_, blocks) => {
  const settings = blocks.get("settings");

  it("has settings that a protocol may have", () => {
    expect(Value.Check(ProtocolSettingsDraft, settings)).toBe(true);
  });

  it.skipIf(!blocks.has("access-token"))("says who comes by an access token", async () => {
    const attributes = await byAccessToken(settings, blocks.get("access-token") as Claims);
    expect(identityOf(blocks.get("rules"), attributes)).toEqual(blocks.get("result"));
  });

  it.skipIf(!blocks.has("id-token"))("says who comes in a browser", async () => {
    const attributes = await byBrowser(settings, blocks.get("id-token") as Claims);
    expect(identityOf(blocks.get("rules"), attributes)).toEqual(blocks.get("result"));
  });
});

it("there are guides", () => {
  expect(guides.map(([name]) => name)).toEqual(["entra-id.md", "google.md", "keycloak.md", "okta.md"]);
});
