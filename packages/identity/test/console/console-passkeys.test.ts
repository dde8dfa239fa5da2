/** Passkeys in the console: signing in with one alone, and after a password, without a receipt in the browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { sqliteDatabases } from "../databases.js";
import {
  passkeyService,
  PASSWORD,
  PUBLIC_URL,
  type PasskeyTestService,
} from "../passkeys/passkey-service.js";
import { consoleBrowser, passwordOf } from "./console-browser.js";

let service: PasskeyTestService;
beforeAll(async () => {
  service = await passkeyService(sqliteDatabases);
});
afterAll(() => service.remove());

const browser = () => consoleBrowser(service.replicas.apps[0] as App, PUBLIC_URL);
const PAGE = { "x-console": "1", origin: PUBLIC_URL };
const OPTIONS = "/console/api/v3/auth/webauthn/options";

describe("a passkey in the console", () => {
  it("signs in alone, with a cookie and no token in the response", async () => {
    const user = await service.addUser();
    const authenticator = service.authenticator();
    await service.register(user, authenticator);
    const page = browser();
    expect((await page.ask("GET", "/providers")).body.has_passkeys).toBe(true);
    const { options } = (await page.ask("POST", OPTIONS, { headers: PAGE })).body;
    expect(options.allowCredentials).toEqual([]);
    const signedIn = await page.signIn(service.byPasskey(authenticator.get(options)), { unscoped: {} });
    expect([signedIn.status, signedIn.headers["x-subject-token"]]).toEqual([200, undefined]);
    expect((await page.ask("GET", "/session")).body.session.user.id).toBe(user.id);
    // Its owner reaches passkeys through the console, too.
    const listed = await page.ask("GET", `/console/api/v3/users/${user.id}/passkeys`, { headers: PAGE });
    expect(listed.body.passkeys).toHaveLength(1);
  });

  it("is the next factor of the session's user, whose receipt stays in the service", async () => {
    const user = await service.addUser({
      multi_factor_auth_enabled: true,
      multi_factor_auth_rules: [["password", "webauthn"]],
    });
    const authenticator = service.authenticator();
    // Registered while the first token is valid.
    await service.register(user, authenticator);
    const page = browser();
    const first = await page.signIn(passwordOf(user.name, PASSWORD), { unscoped: {} });
    expect([first.status, first.headers["openstack-auth-receipt"]]).toEqual([401, undefined]);
    const { options } = (await page.ask("POST", OPTIONS, { headers: PAGE })).body;
    expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id]);
    const second = await page.signIn(service.byPasskey(authenticator.get(options)), { unscoped: {} });
    expect([second.status, second.body.session.token.methods]).toEqual([200, ["password", "webauthn"]]);
  });

  it("can't be asked for by another page", async () => {
    for (const headers of [{ origin: PUBLIC_URL }, { ...PAGE, origin: "https://evil.example" }])
      expect((await browser().ask("POST", OPTIONS, { headers })).status).toBe(403);
  });
});
