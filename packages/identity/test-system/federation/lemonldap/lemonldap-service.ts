/** A service that knows LemonLDAP::NG's portal as OpenID provider and as SAML identity provider. */
import { sqliteDatabases } from "../../../test/databases.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { createFormBrowser, type FormBrowser, type Page } from "../form-browser.js";
import { protocolPath, startSamlService, type SamlService } from "../saml/saml-service.js";
import { CLIENT, DEMO_USER, startPortal, type Portal, type PortalKeys } from "./lemonldap.js";

const OPENID_PROVIDER = "/v3/OS-FEDERATION/identity_providers/portal-openid";

const OPENID_RULES = [
  {
    remote: [{ type: "OIDC-preferred_username" }, { type: "OIDC-email" }],
    local: [{ user: { name: "{0}", email: "{1}" } }],
  },
];

export interface PortalService {
  readonly portal: Portal;
  readonly service: SamlService;
  /** Where logins begin and end. */
  readonly urls: { readonly openid: string; readonly saml: string };
  /** Has the service read the portal's keys or metadata again. */
  refresh(protocol: "openid" | "saml"): Promise<unknown>;
  /** The log of a login, and its response. @param browser A new one if left out. */
  logIn(
    protocol: "openid" | "saml",
    browser?: FormBrowser,
  ): Promise<{ readonly page: Page; readonly log: string }>;
  close(): Promise<void>;
}

export function newKeys(id: string): PortalKeys {
  return { id, signer: newSigner() };
}

/** @param more Settings of both protocols, in addition to those that they need, and of the service. */
export async function startPortalService(
  keys: PortalKeys,
  more: { readonly settings?: object; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<PortalService> {
  const service = await startSamlService(sqliteDatabases, {
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_LOG_LEVEL: "info",
    ...more.env,
  });
  const urls = {
    openid: `${service.url}${OPENID_PROVIDER}/protocols/openid/auth`,
    saml: `${service.url}${protocolPath("portal")}/auth`,
  };
  const portal = await startPortal({ keys, redirectUri: urls.openid });
  const metadata = await (await fetch(portal.entityId)).text();
  const settings = { idp_metadata_url: portal.entityId, ...more.settings };
  await service.introduce("portal", { ...portal, metadata }, settings);
  await service.ask("PUT", "/v3/OS-FEDERATION/mappings/openid", { mapping: { rules: OPENID_RULES } });
  await service.ask("PUT", OPENID_PROVIDER, {
    identity_provider: { enabled: true, remote_ids: [portal.url] },
  });
  await service.ask("PUT", `${OPENID_PROVIDER}/protocols/openid`, {
    protocol: {
      mapping_id: "openid",
      settings: {
        type: "openid",
        issuer: portal.url,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        ...more.settings,
      },
    },
  });
  return {
    portal,
    service,
    urls,
    refresh: (protocol) => service.ask("POST", new URL(urls[protocol]).pathname.replace(/auth$/, "refresh")),
    async logIn(protocol, browser = createFormBrowser()) {
      const before = service.output().length;
      const answer = await logInAt(urls[protocol], browser);
      const page =
        protocol === "saml" ? await browser.submit(answer, { SAMLResponse: fieldOf(answer) }) : answer;
      return { page, log: service.output().slice(before) };
    },
    async close() {
      await portal.close();
      await service.close();
    },
  };
}

/** Logs in at the portal's page. @returns The page behind it: with SAML, the portal's with the Response. */
export async function logInAt(url: string, browser: FormBrowser): Promise<Page> {
  return browser.submit(await browser.open(url), DEMO_USER);
}

/** The Response in a page of the portal's. */
export function fieldOf({ text }: Page): string {
  return /<input[^>]*name="SAMLResponse"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? "";
}
