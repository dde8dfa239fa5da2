/** Token exchange (RFC 8693) of workloads' tokens. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { TARGET, workloadServer, type WorkloadServer } from "../federation/workload/workload-server.js";

let server: WorkloadServer;
beforeAll(async () => {
  server = await workloadServer(sqliteDatabases);
});
afterAll(() => server.close());

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const TYPES = "urn:ietf:params:oauth:token-type:";

async function fields(changes: Readonly<Record<string, string | undefined>> = {}) {
  const all = {
    grant_type: GRANT,
    subject_token: await server.token(),
    subject_token_type: `${TYPES}jwt`,
    audience: TARGET,
    ...changes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

describe(`token exchange on ${sqliteDatabases.name}`, () => {
  it("answers with an access token for the scope", async () => {
    const { status, body, headers } = await server.exchangeJob({}, `project:${server.projectId}`);
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^gAAAA/),
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 300,
        scope: `project:${server.projectId}`,
      },
    ]);
    expect(headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    const shown = await server.factsOf(body.access_token as string);
    expect(shown.body.token).toMatchObject({
      methods: ["jobs"],
      project: { id: server.projectId },
      user: { name: "octo-org/octo-repo" },
    });
  });

  it.each([undefined, ""])("answers with an unscoped token without a scope (%j)", async (scope) => {
    const { status, body } = await server.exchangeJob({}, scope);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("scope");
    const shown = await server.factsOf(body.access_token as string);
    expect(shown.body.token).not.toHaveProperty("project");
  });

  it("takes percent-encoded ids, and the explicit type of the answer", async () => {
    const audience = "urn:hamkit:idp:%63i:protocol:jobs";
    const { status } = await server.exchange(
      await fields({ audience, requested_token_type: `${TYPES}access_token` }),
    );
    expect(status).toBe(200);
  });

  const invalid: [string, Record<string, string | undefined>, string, RegExp][] = [
    ["an empty token", { subject_token: "" }, "invalid_request", /subject_token is required/],
    ["no token", { subject_token: undefined }, "invalid_request", /subject_token is required/],
    ["no type", { subject_token_type: undefined }, "invalid_request", /subject_token_type is required/],
    ["no audience", { audience: undefined }, "invalid_request", /audience is required/],
    [
      "another type",
      { subject_token_type: `${TYPES}saml2` },
      "invalid_request",
      /subject_token_type is ".*saml2", expected .*jwt/,
    ],
    [
      "another type of answer",
      { requested_token_type: `${TYPES}refresh_token` },
      "invalid_request",
      /requested_token_type/,
    ],
    [
      "an actor",
      { actor_token: "x", actor_token_type: `${TYPES}jwt` },
      "invalid_request",
      /actor_token is not supported/,
    ],
    ["a resource", { resource: "https://x.example.org" }, "invalid_target", /resource/],
    ["an opaque token", { subject_token: "opaque" }, "invalid_request", /no signed JWT/],
    ["a header break in the token", { subject_token: "a.b.c\r\nx: y" }, "invalid_request", /no signed JWT/],
    [
      "an audience of another form",
      { audience: "https://id.example.org" },
      "invalid_target",
      /expected urn:hamkit:idp:ID:protocol:ID/,
    ],
    [
      "an audience with a bad encoding",
      { audience: "urn:hamkit:idp:%zz:protocol:jobs" },
      "invalid_target",
      /percent-encoded/,
    ],
    [
      "an audience with U+0000",
      { audience: "urn:hamkit:idp:c%2500:protocol:jobs" },
      "invalid_target",
      /names no protocol|percent/,
    ],
    [
      "an unknown provider",
      { audience: "urn:hamkit:idp:x:protocol:jobs" },
      "invalid_target",
      /names no protocol/,
    ],
    [
      "a protocol of another kind",
      { audience: "urn:hamkit:idp:idp:protocol:mapped" },
      "invalid_target",
      /names no protocol/,
    ],
    ["an unknown scope", { scope: "domain" }, "invalid_scope", /expected one of/],
    ["two scopes", { scope: "system project:x" }, "invalid_scope", /expected one of/],
    ["a scope without roles", { scope: "system" }, "invalid_scope", /no token with this scope/],
    ["a project that does not exist", { scope: "project:x" }, "invalid_scope", /no token with this scope/],
    ["a domain without roles", { scope: "domain:default" }, "invalid_scope", /no token with this scope/],
  ];
  it.each(invalid)("refuses %s", async (_, changes, error, description) => {
    const { status, body, headers } = await server.exchange(await fields(changes));
    expect([status, body]).toEqual([400, { error, error_description: expect.stringMatching(description) }]);
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("refuses repeated parameters", async () => {
    const form = new URLSearchParams(await fields());
    form.append("audience", TARGET);
    const { status, body } = await server.exchange(form.toString());
    expect([status, body.error_description]).toEqual([400, "A parameter is repeated, expected each once."]);
  });

  it("refuses an invalid token without a reason, which the log has", async () => {
    const { status, body } = await server.exchangeJob({ sub: "repo:evil/repo:ref:refs/heads/main" });
    expect([status, body]).toEqual([
      400,
      { error: "invalid_request", error_description: "The subject_token is not accepted." },
    ]);
    expect(server.refusals.at(-1)).toMatchObject({ idpId: "ci", id: "jobs", step: "workload" });
    expect(server.refusals.at(-1)?.["reason"]).toMatch(
      /expected "repo:octo-org\/octo-repo:\*" \(conditions\)$/,
    );
  });

  it("is audited with the provider and the outcome", async () => {
    const before = server.audits.length;
    await server.exchangeJob();
    await server.exchangeJob({ exp: 1 });
    expect(server.audits.slice(before)).toMatchObject([
      { action: "authenticate", outcome: "done", target: { idp_id: "ci", protocol_id: "jobs" } },
      {
        action: "authenticate",
        outcome: "refused",
        target: { idp_id: "ci", protocol_id: "jobs" },
        status: 400,
      },
    ]);
  });

  it("still knows no other grants", async () => {
    const { status, body } = await server.exchange({ grant_type: "password" });
    expect([status, body.error]).toEqual([400, "unsupported_grant_type"]);
  });

  it("is limited as logins at the provider are", async () => {
    const limited = await workloadServer(sqliteDatabases, { env: { IDENTITY_RATE_LIMIT: "on" } });
    let status = 0;
    for (let attempt = 0; attempt < 200 && status !== 429; attempt += 1)
      ({ status } = await limited.exchangeJob({ exp: 1 }));
    expect(status).toBe(429);
    await limited.close();
  });
});
