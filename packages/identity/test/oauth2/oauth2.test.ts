import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  credentialServer,
  type CredentialServer,
  type MadeCredential,
  type Member,
} from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { testApp } from "../test-app.js";
import { readClient } from "../../src/oauth2/oauth2-request.js";

let server: CredentialServer;
let alice: Member;
let robot: MadeCredential;
beforeAll(async () => {
  server = await credentialServer(sqliteDatabases);
  alice = await server.member();
  robot = (await server.make(alice)).body.application_credential as MadeCredential;
});
afterAll(() => server.close());

const FORM = "application/x-www-form-urlencoded";
const GRANT = "grant_type=client_credentials";

interface Sent {
  readonly authorization?: string;
  readonly form?: string;
  readonly type?: string;
}

/** By the credential in `Authorization`, if the request says nothing else. */
async function ask({ authorization = basic(robot.id, robot.secret), form = GRANT, type = FORM }: Sent = {}) {
  const headers = { "content-type": type, ...(authorization !== "" && { authorization }) };
  return server.post("/v3/OS-OAUTH2/token", form, headers);
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

describe(`OAuth 2.0 client credentials on ${sqliteDatabases.name}`, () => {
  it("are an application credential, in the header or in the form", async () => {
    const { status, headers, body } = await ask();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gAAAA/),
      token_type: "Bearer",
      expires_in: 3600,
    });
    expect(headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    const { body: shown } = await server.ask("GET", "/v3/auth/tokens", {
      headers: { "x-subject-token": body.access_token as string },
    });
    expect(shown.token).toMatchObject({
      methods: ["application_credential"],
      project: { id: alice.projectId },
      application_credential: { id: robot.id, restricted: true },
    });
    const form = `${GRANT}&client_id=${robot.id}&client_secret=${robot.secret}`;
    expect(await ask({ authorization: "", form, type: `${FORM}; charset=utf-8` })).toMatchObject({
      status: 200,
    });
    // The header wins.
    expect(await ask({ form: `${GRANT}&client_id=x&client_secret=y&scope=z` })).toMatchObject({
      status: 200,
    });
  });

  it("give tokens that say how long they last, also where the credential ends earlier: oauth2-expiry-is-true", async () => {
    const expires_at = new Date(server.time.now + 600_000).toISOString().replace(/\.\d+/, "");
    const { body } = await server.make(alice, { name: "short", expires_at });
    const { id, secret } = body.application_credential as MadeCredential;
    const answer = await ask({ authorization: basic(id, secret) });
    expect(answer.body.expires_in).toBe(600);
  });

  it("are rejected as an invalid client, whatever is wrong: oauth2-clients-are-unauthorized", async () => {
    const wrong = [
      basic(robot.id, "wrong"),
      basic("f".repeat(32), "x"),
      basic("robot", robot.secret),
      basic(alice.id, "a password"),
      basic(robot.id, ""),
      basic("", ""),
      "Basic !!!",
      "Basic YWJj",
      "Bearer abc",
      basic("\0", "x"),
      "",
    ];
    for (const authorization of wrong) {
      const { status, headers, body } = await ask({ authorization });
      expect([authorization, status, body.error]).toEqual([authorization, 401, "invalid_client"]);
      expect(headers["www-authenticate"]).toMatch(/^Keystone uri="[^"]+\/v3", Basic realm="OS-OAUTH2"$/);
    }
    const { id } = robot;
    for (const form of [`${GRANT}&client_id=${id}`, `${GRANT}&client_secret=${robot.secret}`])
      expect(await ask({ authorization: "", form })).toMatchObject({ status: 401 });
  });

  it.each([
    ["x=y", FORM, "invalid_request"],
    ["", FORM, "invalid_request"],
    [GRANT, "text/plain", "invalid_request"],
    ['{"grant_type":"client_credentials"}', "application/json", "invalid_request"],
    ["grant_type=", FORM, "unsupported_grant_type"],
    ["grant_type=password", FORM, "unsupported_grant_type"],
  ])("are for their grant: %s as %s is %s", async (form, type, error) => {
    expect(await ask({ form, type })).toMatchObject({ status: 400, body: { error } });
  });

  it.each(["GET", "PUT", "PATCH", "DELETE"])(
    "are not obtained by %s, which has an error of OAuth 2.0",
    async (method) => {
      const { status, body } = await server.ask(method, "/v3/OS-OAUTH2/token");
      expect(status).toBe(405);
      const error_description = "The method is not allowed for the requested URL.";
      expect(body).toEqual({ error: "other_error", error_description });
    },
  );

  it("are those of a user whose multi-factor rules allow them", async () => {
    const other = await server.member();
    const { body } = await server.make(other);
    const { id, secret } = body.application_credential as MadeCredential;
    const options = { multi_factor_auth_rules: [["password", "totp"]] };
    await server.ask("PATCH", `/v3/users/${other.id}`, { body: { user: { options } } });
    const { status, body: refused, headers } = await ask({ authorization: basic(id, secret) });
    expect([status, refused.error]).toEqual([401, "invalid_client"]);
    expect(headers).not.toHaveProperty("openstack-auth-receipt");
  });

  it("end with the application credential", async () => {
    const { body } = await server.make(alice, { name: "deleted" });
    const { id, secret } = body.application_credential as MadeCredential;
    const { body: granted } = await ask({ authorization: basic(id, secret) });
    await server.ask("DELETE", `/v3/users/${alice.id}/application_credentials/${id}`);
    expect(await server.validated(granted.access_token as string)).toBe(404);
    expect(await ask({ authorization: basic(id, secret) })).toMatchObject({ status: 401 });
  });
});

it("reads a secret that contains a colon", () => {
  expect(readClient(basic("a", "b:c"), new Map())).toEqual({ id: "a", secret: "b:c" });
});

it("limits guesses at the secret of a client like those at passwords", async () => {
  const service = await testApp(sqliteDatabases, { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_WAIT: "1" });
  try {
    const guess = () =>
      service.app.server.inject({
        method: "POST",
        url: "/v3/OS-OAUTH2/token",
        headers: { authorization: basic("f".repeat(32), "guess"), "content-type": FORM },
        payload: GRANT,
      });
    const statuses: number[] = [];
    while (statuses.length < 60 && !statuses.includes(429)) statuses.push((await guess()).statusCode);
    expect(statuses).toContain(429);
  } finally {
    await service.remove();
  }
}, 60_000);
