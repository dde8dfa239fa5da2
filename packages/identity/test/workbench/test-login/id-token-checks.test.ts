/** Test logins in a browser, where the provider returns an ID token that a login rejects: each check in its order. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { createBrowser } from "../../federation/openid/test-browser.js";
import { CLIENT_ID, KIM, signingKeys } from "../../federation/openid/test-provider.js";
import { OPENID, OPENID_AUTH, testLoginServer, type TestLoginServer } from "./test-login-service.js";

interface Step {
  readonly step: string;
  readonly status: string;
}

const foreign = signingKeys("foreign");
const sameId = signingKeys("first");
const FUTURE = 4_000_000_000;
const OTHER = "https://other.example.org";

describe(`test logins with an ID token, with ${sqliteDatabases.name}`, () => {
  let server: TestLoginServer;
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases);
  });
  afterAll(() => server.close());

  it.each([
    ["a wrong audience", { aud: "account" }, 3, "audience", { received: "account", expected: CLIENT_ID }],
    // Presence is checked before values.
    ["no audience", { aud: undefined }, 2, "audience", { expected: CLIENT_ID }],
    ["an expiry in the past", { exp: 1_700_000_000 }, 4, "time", { received: "2023-11-14T22:13:20Z" }],
    ["a time before it is valid", { nbf: FUTURE }, 4, "time", { received: "2096-10-02T07:06:40Z" }],
    ["another issuer", { iss: OTHER }, 2, "issuer", { received: OTHER }],
    ["an unknown key", {}, 1, "signature", {}, foreign],
    ["an unknown key and a wrong audience", { aud: "account" }, 1, "signature", {}, foreign],
    ["a bad signature", {}, 1, "signature", {}, sameId],
    ["a bad signature and an expiry in the past", { exp: 1_700_000_000 }, 1, "signature", {}, sameId],
    ["no nonce", { nonce: undefined }, 5, "request", {}],
    ["the nonce of another login", { nonce: "other" }, 5, "request", {}],
  ] as const)(
    "names the check that an ID token fails, behind those that passed: %s",
    async (_, changes, passed, step, compared, keys = server.op.keys) => {
      const browser = createBrowser();
      const { id, location } = await server.beginIn(browser, OPENID);
      const back = await browser.follow(location, OPENID_AUTH);
      const nonce = new URL(location).searchParams.get("nonce");
      const seconds = Math.floor(server.time.now / 1000);
      const times = { iat: seconds, exp: seconds + 60 };
      const claims = { iss: server.op.issuer, sub: KIM.sub, aud: CLIENT_ID, nonce, ...times, ...changes };
      server.op.answers.set("/token", async (_request, response) => {
        const idToken = await keys.sign(claims, { typ: "JWT" });
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ access_token: "a", token_type: "Bearer", id_token: idToken }));
      });
      await server.visit(browser, back.href);
      server.op.answers.delete("/token");
      const login = (await server.result(OPENID, id)).body.test_login;
      expect(login.status).toBe("failed");
      const { steps } = login.result as { steps: Step[] };
      const namesOf = (status: string) =>
        steps.filter((each) => each.status === status).map((each) => each.step);
      expect(steps.find(({ status }) => status === "failed")).toMatchObject({ step, ...compared });
      const order = ["message", "signature", "issuer", "audience", "time", "request"];
      expect(namesOf("passed")).toEqual(order.slice(0, passed));
      expect(namesOf("not-reached")).toContain("mapping");
      expect(login.result).toMatchObject({ attributes: null, user: null, changes: [] });
    },
  );
});
