/** The guides to workloads: an issuer signs the tokens that they show, and each failure that they list is made. */
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { claimAttributes } from "../../../src/federation/protocols/openid/claim-attributes.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../../src/mappings/rules/evaluate-mapping.js";
import { sqliteDatabases } from "../../databases.js";
import { loginServer, type LoginServer } from "../login-server.js";
import { createIssuer } from "../workload/issuer.js";
import { guidesWith, type Guide } from "./guide.js";

const parse = (guide: Guide, block: string): unknown => JSON.parse(guide.block(block));

/** How a token fails, by the reasons in the guides' tables; `null` for a token of another key. */
const FAILURES: Readonly<Record<string, JWTPayload | null>> = {
  'unexpected "aud" claim value': { aud: "https://other.example.org" },
  'unexpected "iss" claim value': { iss: "https://other.example.org" },
  'missing required "iss" claim': { iss: undefined as never },
  'missing required "exp" claim': { exp: undefined as never },
  'unexpected "sub"': { sub: "other" },
  'unexpected "repository_id"': { repository_id: "75" },
  'unexpected "ref_protected"': { ref_protected: "false" },
  "expected no other (audiences)": { aud: ["https://id.example.org", "https://other.example.org"] },
  "the job belongs to a pull request": { event_name: "pull_request", pipeline_source: "merge_request_event" },
  '"exp" claim timestamp check failed': { exp: 1 },
  "no applicable key found": null,
  "no-rule-matched": { ref: "refs/heads/other" },
};

describe.each(guidesWith("workload-settings").map((guide) => [guide.name, guide] as const))(
  "docs/identity/providers/%s.md",
  (_, guide) => {
    const issuer = createIssuer("key of the guide");
    const claims = parse(guide, "workload-token") as JWTPayload;
    const settings = parse(guide, "workload-settings") as Record<string, unknown>;
    const [, idpId = "", protocolId = ""] =
      /identity_providers\/([\w-]+)\/protocols\/([\w-]+) /.exec(guide.block("workload-setup")) ?? [];
    const protocol = `/v3/OS-FEDERATION/identity_providers/${idpId}/protocols/${protocolId}`;
    let server: LoginServer;

    beforeAll(async () => {
      server = await loginServer(sqliteDatabases);
      const put = async (path: string, body: object) => {
        const { status, text } = await server.ask("PUT", path, { body });
        if (status !== 201) throw new Error(`${path}: ${text}`);
      };
      const [, remoteId] = /--remote-id (\S+)/.exec(guide.block("workload-setup")) ?? [];
      const provider = { enabled: true, domain_id: "default", remote_ids: [remoteId] };
      await server.create("groups", { name: "deployers", domain_id: "default" });
      await put(`/v3/OS-FEDERATION/identity_providers/${idpId}`, { identity_provider: provider });
      const rules = parse(guide, "workload-rules");
      await put("/v3/OS-FEDERATION/mappings/guide", { mapping: { rules } });
      // As the guide has them, then with the keys of the test's issuer.
      await put(protocol, { protocol: { mapping_id: "guide", settings } });
      await server.ask("DELETE", protocol);
      const { jwks_uri: _uri, ...others } = settings;
      const jwks = { keys: [{ ...issuer.jwk, use: idpId === "spiffe" ? "jwt-svid" : "sig" }] };
      await put(protocol, { protocol: { mapping_id: "guide", settings: { ...others, jwks } } });
    });
    afterAll(() => server.close());

    async function logIn(changes: JWTPayload = {}, keys = issuer) {
      const now = Math.floor(server.time.now / 1000);
      const token = await keys.sign({ ...claims, iat: now, nbf: now - 5, exp: now + 300, ...changes });
      return server.ask("POST", `${protocol}/auth`, {
        token: "",
        headers: { authorization: `Bearer ${token}` },
      });
    }

    it("maps its claims to its result", () => {
      const assertion = parse(guide, "workload-assertion") as Assertion;
      const { attributes } = claimAttributes(claims);
      expect(attributes).toMatchObject(assertion);
      const mapping = compileMapping({ rules: parse(guide, "workload-rules"), schemaVersion: undefined });
      expect(evaluateMapping(mapping, attributes)).toMatchObject({
        kind: "mapped",
        identity: parse(guide, "workload-result"),
      });
    });

    it("logs in", async () => {
      const { status, body } = await logIn();
      expect(status).toBe(201);
      const { user } = parse(guide, "workload-result") as { user: { name: string } };
      expect(body.token.user).toMatchObject({ name: user.name, "OS-FEDERATION": { groups: [{}] } });
    });

    it.each(guide.reasons.openid)("the log has `%s`", async (reason) => {
      const changes = FAILURES[reason];
      expect(changes).toBeDefined();
      const { status } = await logIn(changes ?? {}, changes === null ? createIssuer("another") : issuer);
      expect(status).toBe(401);
      expect(String(server.refusals.at(-1)?.["reason"])).toContain(reason);
    });

    it("registers the issuer", () => {
      expect(guide.block("workload-setup")).toContain(`--remote-id ${claims.iss} `);
    });

    it("names the protocol in both ways to log in", () => {
      const login = guide.block("workload-login");
      expect(login).toContain(`OS_IDENTITY_PROVIDER=${idpId} OS_PROTOCOL=${protocolId} `);
      expect(guide.block("workload-exchange")).toContain(`urn:hamkit:idp:${idpId}:protocol:${protocolId}`);
    });
  },
);

it("there are guides to workloads", () => {
  const names = guidesWith("workload-settings").map(({ name }) => name);
  expect(names).toEqual(["github-actions", "gitlab", "kubernetes", "spiffe"]);
});
