/** Where the console works, and with which cookie. */
import { describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { listReplicas } from "../../src/console/overview/replica-store.js";
import { sqliteDatabases } from "../databases.js";
import { testReplicas } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import { consoleBrowser } from "./console-browser.js";

const PAGE = { "x-console": "1", origin: PUBLIC_URL };

describe("the console's cookie over HTTPS", () => {
  it("is for this host and HTTPS alone", async () => {
    const publicUrl = "https://id.example.org/identity";
    const secure = await testReplicas(sqliteDatabases, 1, { publicUrl });
    const browser = consoleBrowser(secure.apps[0] as App, publicUrl);
    const { status, cookies } = await browser.signIn();
    expect(status).toBe(200);
    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-console=[\w-]{43}; Path=\/; Max-Age=(?:3600|359\d); HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect((await browser.ask("GET", "/session")).status).toBe(200);
    // Without the prefix, another host of the domain could have set it.
    browser.jar.set("console", browser.jar.get("__Host-console") ?? "");
    browser.jar.delete("__Host-console");
    expect((await browser.ask("GET", "/session")).status).toBe(401);
    await secure.remove();
  });

  it.each(["http://id.example.org", "http://10.0.0.1:5000", "http://127.0.0.1.example.org"])(
    "is not given over the network without HTTPS, at %s",
    async (publicUrl) => {
      const plain = await testReplicas(sqliteDatabases, 1, { publicUrl });
      const browser = consoleBrowser(plain.apps[0] as App, publicUrl);
      const answers = [await browser.signIn(), await browser.ask("GET", "/console")];
      for (const { status, cookies } of answers) expect([status >= 400, cookies]).toEqual([true, []]);
      expect(answers[1]?.text).toMatch(/^The console needs HTTPS/);
      await plain.remove();
    },
  );
});

describe("IDENTITY_CONSOLE=off", () => {
  it("leaves nothing of it", async () => {
    const without = await testReplicas(sqliteDatabases, 1, { env: { IDENTITY_CONSOLE: "off" } });
    const browser = consoleBrowser(without.apps[0] as App);
    expect((await browser.signIn()).status).toBe(404);
    for (const path of ["/console", "/console/api/providers", "/console/api/v3/users"])
      expect((await browser.ask("GET", path, { headers: PAGE })).status).toBe(404);
    expect(await listReplicas((without.apps[0] as App).database)).toEqual([]);
    await without.remove();
  });
});
