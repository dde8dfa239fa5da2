/** A provider that is being set up: it can be tested, and logs no one in. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { createBrowser } from "../../federation/openid/test-browser.js";
import { AUDIENCE, KIM } from "../../federation/openid/test-provider.js";
import { OPENID, OPENID_AUTH, testLoginServer, type TestLoginServer } from "./test-login-service.js";

describe("test logins of a disabled provider", () => {
  let server: TestLoginServer;
  const accessToken = () => {
    const now = Math.floor(server.time.now / 1000);
    return server.op.keys.sign({
      iss: server.op.issuer,
      sub: KIM.sub,
      aud: AUDIENCE,
      exp: now + 300,
      iat: now,
      preferred_username: "kim.example",
    });
  };
  const enable = (enabled: boolean) =>
    server.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/op", {
      body: { identity_provider: { enabled } },
    });
  beforeAll(async () => {
    server = await testLoginServer(sqliteDatabases);
    await enable(false);
  });
  afterAll(() => server.close());

  it("passes, and says that logins are rejected until it is enabled", async () => {
    const { body } = await server.test(OPENID, { access_token: await accessToken() });
    const { status, result } = body.test_login;
    expect(status).toBe("passed");
    expect(result.steps).toContainEqual(
      expect.objectContaining({
        step: "provider",
        message: expect.stringContaining("until it is enabled"),
      }),
    );
    expect(result.user).toMatchObject({ name: "kim.example" });
  });

  it("ends the browser of the test, and rejects every login, before, during and after it", async () => {
    const logins = async () => [
      await server.visit(createBrowser(), OPENID_AUTH),
      await server.ask("POST", `${OPENID}/auth`, {
        headers: { authorization: `Bearer ${await accessToken()}` },
      }),
    ];
    const rejected = async () => {
      for (const { status, headers } of await logins()) {
        expect(status).toBe(403);
        expect(headers).not.toHaveProperty("x-subject-token");
        expect(headers).not.toHaveProperty("location");
      }
    };
    await rejected();
    const browser = createBrowser();
    const { id, location } = await server.beginIn(browser, OPENID);
    await rejected();
    const back = await browser.follow(location, OPENID_AUTH);
    const page = await server.visit(browser, back.href);
    expect(page.text).toContain("The test login passed");
    expect((await server.result(OPENID, id)).body.test_login.status).toBe("passed");
    await rejected();
  });
});
