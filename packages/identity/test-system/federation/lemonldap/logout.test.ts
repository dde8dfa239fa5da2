/** A logout at a dashboard goes on to LemonLDAP::NG: RP-initiated with OpenID Connect, single logout with SAML. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createFormBrowser, type FormBrowser } from "../form-browser.js";
import { openLeftDashboard, type LeftDashboard } from "../guide-logout.js";
import { newKeys, startPortalService, type PortalService } from "./lemonldap-service.js";

describe("a logout that goes on to LemonLDAP::NG", () => {
  let dashboard: LeftDashboard;
  let scene: PortalService;
  beforeAll(async () => {
    dashboard = await openLeftDashboard();
    scene = await startPortalService(newKeys("first"), {
      settings: { logout: true },
      env: { IDENTITY_TRUSTED_DASHBOARDS: dashboard.url },
    });
  });
  afterAll(async () => {
    await scene.close();
    await dashboard.close();
  });

  /** Whether the portal asks for a password. */
  async function isLoggedOutAtPortal(protocol: "openid" | "saml", browser: FormBrowser): Promise<boolean> {
    return (await browser.open(scene.urls[protocol])).text.includes('name="password"');
  }

  it.each(["openid", "saml"] as const)(
    "ends the token and the portal's session with %s",
    async (protocol) => {
      const browser = createFormBrowser();
      const { page } = await scene.logIn(protocol, browser);
      const token = page.headers.get("x-subject-token") ?? "";
      expect(await scene.service.read(token)).toHaveProperty("token");
      expect(await isLoggedOutAtPortal(protocol, browser)).toBe(false);
      const end = await dashboard.logOut(browser, scene.urls[protocol].replace(/\/auth$/, ""), token);
      expect([end.url, end.text]).toEqual([dashboard.url, "You have left the dashboard"]);
      expect(await scene.service.read(token)).not.toHaveProperty("token");
      expect(await isLoggedOutAtPortal(protocol, browser)).toBe(true);
    },
  );
});
