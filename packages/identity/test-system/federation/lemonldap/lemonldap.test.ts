/** Login with OpenID Connect and with SAML at Debian's LemonLDAP::NG. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createFormBrowser } from "../form-browser.js";
import { CLIENT, DEMO_USER } from "./lemonldap.js";
import { fieldOf, logInAt, newKeys, startPortalService, type PortalService } from "./lemonldap-service.js";

/** The number of the message in its page: PE_SAML_SIGNATURE_ERROR. */
const SIGNATURE_ERROR = "57";

describe("LemonLDAP::NG", () => {
  const keys = newKeys("first");
  let scene: PortalService;
  beforeAll(async () => {
    scene = await startPortalService(keys);
  });
  afterAll(() => scene.close());

  const tokenOf = (provider: string, method: string) => ({
    token: {
      methods: [method],
      user: { name: "dwho", "OS-FEDERATION": { identity_provider: { id: provider } } },
    },
  });

  it("logs in a browser with OpenID Connect", async () => {
    const { page } = await scene.logIn("openid");
    expect([page.status, JSON.parse(page.text)]).toMatchObject([201, tokenOf("portal-openid", "openid")]);
  });

  it("logs in with an access token of the password grant, which is rejected once it is changed", async () => {
    const answer = await fetch(`${scene.portal.url}/oauth2/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`,
      },
      body: new URLSearchParams({
        grant_type: "password",
        username: DEMO_USER.user,
        password: DEMO_USER.password,
        scope: "openid profile email",
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const logIn = (bearer: string) =>
      fetch(scene.urls.openid, { method: "POST", headers: { authorization: `Bearer ${bearer}` } });
    const entered = await logIn(token);
    expect([entered.status, await entered.json()]).toMatchObject([201, tokenOf("portal-openid", "openid")]);
    const [header, claims = "", signature] = token.split(".");
    const changed = Buffer.from(claims, "base64url").toString().replaceAll("dwho", "root");
    const forged = [header, Buffer.from(changed).toString("base64url"), signature].join(".");
    expect(forged).not.toBe(token);
    expect((await logIn(forged)).status).toBe(401);
  });

  it("logs in a browser with SAML", async () => {
    const { page } = await scene.logIn("saml");
    expect([page.status, JSON.parse(page.text)]).toMatchObject([201, tokenOf("portal", "saml2")]);
  });

  it("is rejected with a Response that was changed in transit", async () => {
    const browser = createFormBrowser();
    const page = await logInAt(scene.urls.saml, browser);
    const xml = Buffer.from(fieldOf(page), "base64").toString();
    const changed = xml.replaceAll(">dwho<", ">root<");
    expect(changed).not.toBe(xml);
    const SAMLResponse = Buffer.from(changed).toString("base64");
    expect((await browser.submit(page, { SAMLResponse })).status).toBe(401);
  });

  it("refuses the service's request without its signature", async () => {
    const step = await fetch(scene.urls.saml, { redirect: "manual" });
    const location = step.headers.get("location") ?? "";
    expect(location).toContain("&Signature=");
    const browser = createFormBrowser();
    const page = await browser.open(location.replace(/&Signature=.*/, ""));
    const { text } = await browser.submit(page, DEMO_USER);
    expect({ message: /trmsg="(\d+)"/.exec(text)?.[1], isSent: text.includes("SAMLResponse") }).toEqual({
      message: SIGNATURE_ERROR,
      isSent: false,
    });
  });

  describe("that signs with a key it does not publish", () => {
    beforeAll(() => scene.portal.rotate({ ...newKeys("first"), published: keys.signer }));

    it.each(["openid", "saml"] as const)("is rejected with %s", async (protocol) => {
      const { page, log } = await scene.logIn(protocol);
      expect(page.status).toBe(401);
      expect(log).toMatch(/signature/);
    });
  });

  describe("with new keys", () => {
    beforeAll(() => scene.portal.rotate(newKeys("second")));

    it.each(["openid", "saml"] as const)(
      "logs in as soon as the protocol is refreshed: %s",
      async (protocol) => {
        expect((await scene.logIn(protocol)).page.status).toBe(401);
        await scene.refresh(protocol);
        expect((await scene.logIn(protocol)).page.status).toBe(201);
      },
    );
  });
});
