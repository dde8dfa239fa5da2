/** Provokes each failure that the guides list, so that its reason appears in the log. */
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { signingKeys } from "../../../test/federation/openid/test-provider.js";
import type { GuideService } from "./guide-service.js";
import { logInByToken, logInByOpenId, logInBySaml } from "./browser-login.js";
import type { Claims, SimulatedTokens } from "./simulated-openid.js";
import type { SimulatedProvider } from "./simulated-provider.js";
import type { SimulatedAssertion } from "./simulated-saml.js";

export interface Scene {
  readonly service: GuideService;
  readonly provider: SimulatedProvider;
  /** The provider's id here. */
  readonly id: string;
}

/** @returns The status of the login. */
export type Failing = (scene: Scene) => Promise<number>;

interface Failures {
  readonly openid: Readonly<Record<string, Failing>>;
  readonly saml2: Readonly<Record<string, Failing>>;
}

const urlOf = ({ service }: Scene): string => service.process.url;

/** With an access token that differs from a good one. */
const withClaims =
  (others: Claims, header?: Claims): Failing =>
  async (scene) => {
    const { openid } = scene.provider;
    const token = await openid.issue({ ...openid.tokens.accessToken, ...others }, header);
    return (await logInByToken(urlOf(scene), scene.id, token)).status;
  };

/** Changes the provider's responses about an opaque token. */
const withAnswers =
  (change: (tokens: SimulatedTokens) => Partial<SimulatedTokens>, token?: string): Failing =>
  async (scene) => {
    const { openid } = scene.provider;
    const { tokens } = openid;
    openid.tokens = { ...tokens, ...change(tokens) };
    const { status } = await logInByToken(urlOf(scene), scene.id, token ?? (await openid.issue({})));
    openid.tokens = tokens;
    return status;
  };

const withIdToken: Failing = async (scene) => {
  const { keys, tokens } = scene.provider.openid;
  const seconds = Math.floor(Date.now() / 1000);
  const token = await keys.sign({ ...tokens.idToken, exp: seconds + 60 }, { typ: "JWT" });
  return (await logInByToken(urlOf(scene), scene.id, token)).status;
};

/** Signed by another key. */
const withKey =
  (kid: string): Failing =>
  async (scene) => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { ...scene.provider.openid.tokens.accessToken, exp: seconds + 60 };
    const token = await signingKeys(kid).sign(claims, { typ: "JWT" });
    return (await logInByToken(urlOf(scene), scene.id, token)).status;
  };

/** With other settings, for a while. */
const withSettings =
  (change: (settings: Claims) => Claims, log: (scene: Scene) => Promise<number>): Failing =>
  async (scene) => {
    const path = `/v3/OS-FEDERATION/identity_providers/${scene.id}/protocols/openid`;
    const settings = scene.provider.json("settings");
    const set = (changed: Claims) =>
      scene.service.ask("PATCH", path, { protocol: { mapping_id: scene.id, settings: changed } });
    await set(change(settings));
    const status = await log(scene);
    await set(settings);
    return status;
  };

const byBrowser = async (scene: Scene): Promise<number> =>
  (await logInByOpenId(urlOf(scene), scene.id)).status;

const withIssuer = (change: (issuer: string) => string): Failing =>
  withSettings((settings) => ({ ...settings, issuer: change(String(settings["issuer"])) }), byBrowser);

/** The discovery document has another issuer, as with `organizations`. */
const atEveryTenant: Failing = async (scene) => {
  const { openid } = scene.provider;
  const { tokens } = openid;
  const others = (issuer: string) => issuer.replace(/[0-9a-f-]{36}/, "organizations");
  return withSettings(
    (settings) => ({ ...settings, issuer: others(tokens.issuer) }),
    async () => {
      // Where it is asked at one address, it names another.
      openid.tokens = { ...tokens, issuer: others(tokens.issuer) };
      const answer = openid.answer;
      openid.answer = async (request, body, response) => {
        if (request.url?.endsWith("/openid-configuration") !== true) return answer(request, body, response);
        const issuer = tokens.issuer.replace(/[0-9a-f-]{36}/, "{tenantid}");
        response.setHeader("content-type", "application/json").end(JSON.stringify({ issuer }));
        return true;
      };
      const status = await byBrowser(scene);
      openid.answer = answer;
      openid.tokens = tokens;
      return status;
    },
  )(scene);
};

/** With an assertion that differs from a good one. */
const withAssertion =
  (change: (assertion: SimulatedAssertion) => Partial<SimulatedAssertion>, samlId?: string): Failing =>
  async (scene) => {
    const { saml } = scene.provider;
    const { assertion } = saml;
    saml.assertion = { ...assertion, ...change(assertion) };
    const { status } = await logInBySaml(urlOf(scene), samlId ?? scene.id);
    saml.assertion = assertion;
    return status;
  };

/** With a single name. */
const withRemoteIds =
  (choose: (ids: readonly string[]) => readonly string[]): Failing =>
  async (scene) => {
    const path = `/v3/OS-FEDERATION/identity_providers/${scene.id}`;
    const { identity_provider: provider } = await scene.service.ask<{
      identity_provider: { remote_ids: readonly string[] };
    }>("GET", path);
    const set = (ids: readonly string[]) =>
      scene.service.ask("PATCH", path, { identity_provider: { remote_ids: ids } });
    await set(choose(provider.remote_ids));
    const { status } = await logInBySaml(urlOf(scene), scene.id);
    await set(provider.remote_ids);
    return status;
  };

const otherName = withRemoteIds((ids) => ids.filter((id) => id.startsWith("http://127.0.0.1")));
const otherAudience = (samlId?: string) =>
  withAssertion(() => ({ audience: "https://other.example.org" }), samlId);
const otherSigner = (samlId?: string) => withAssertion(() => ({ signer: newSigner() }), samlId);
const oldAlgorithm = withAssertion(() => ({ sha1: true }));

const AUDIENCE = 'unexpected "aud" claim value';
const NAMELESS = "no-rule-matched";
const DISCOVERY = "discovery document names issuer";
const SIGNER = "signature does not verify with any trusted certificate of this provider";
const FOREIGN_AUDIENCE = "expected the entity ID of this service";
const ALGORITHM = "the signature's SignatureMethod is not accepted";
const FOREIGN = "is not among the provider's remote_ids";

/** By guide and reason. */
export const FAILURES: Readonly<Record<string, Failures>> = {
  adfs: {
    openid: {
      [AUDIENCE]: withClaims({ aud: "urn:microsoft:userinfo" }),
      'unexpected "iss" claim value': withIdToken,
      [NAMELESS]: withClaims({ upn: undefined, group: undefined }),
    },
    saml2: {
      "provider answered with status": withAssertion(() => ({ status: "Requester" })),
      [ALGORITHM]: oldAlgorithm,
      "assertion is encrypted to a key that this service does not have": withAssertion(() => ({
        certificate: newSigner().certificate.replaceAll(/-----.*-----|\s/g, ""),
      })),
      [FOREIGN]: otherName,
    },
  },
  "entra-id": {
    openid: {
      'unexpected "iss" claim value': withClaims({ iss: "https://sts.windows.net/8eaef023/", ver: "1.0" }),
      [AUDIENCE]: withClaims({ aud: "00000003-0000-0000-c000-000000000000" }),
      "signature verification failed": withKey("first"),
      [DISCOVERY]: atEveryTenant,
      "the provider has left out claims of a user": withClaims({
        groups: undefined,
        _claim_names: { groups: "src1" },
        _claim_sources: { src1: { endpoint: "https://graph.windows.net/t/users/u/getMemberObjects" } },
      }),
    },
    saml2: { [FOREIGN_AUDIENCE]: otherAudience(), [SIGNER]: otherSigner(), [FOREIGN]: otherName },
  },
  google: {
    openid: {
      "the token is no JWT, and the provider has no introspection": withSettings(
        (settings) => ({ ...settings, token_info_url: null }),
        withAnswers(() => ({})),
      ),
      'unexpected "aud"': withAnswers(({ tokenInfo }) => ({ tokenInfo: { ...tokenInfo, aud: "gcloud" } })),
      "the provider answers with status 400": withAnswers(() => ({}), "ya29.made-up"),
      "the token lacks the scope openid": withAnswers(({ tokenInfo }) => ({
        tokenInfo: { ...tokenInfo, sub: undefined },
      })),
      [NAMELESS]: withAnswers(({ userInfo }) => ({ userInfo: { ...userInfo, hd: undefined } })),
    },
    saml2: {
      [FOREIGN_AUDIENCE]: otherAudience("google-saml"),
      [SIGNER]: otherSigner("google-saml"),
      [NAMELESS]: withAssertion(
        ({ shown }) => ({
          shown: shown.replace(/<saml2:Attribute Name="groups">[^]*?<\/saml2:Attribute>/, ""),
        }),
        "google-saml",
      ),
    },
  },
  keycloak: {
    openid: {
      [AUDIENCE]: withClaims({ aud: "account" }),
      [DISCOVERY]: withIssuer((issuer) => `${issuer}/`),
      "the token is signed, but is no access token": withIdToken,
      [NAMELESS]: withClaims({ groups: undefined, realm_access: undefined, resource_access: undefined }),
    },
    saml2: { [SIGNER]: otherSigner(), [FOREIGN_AUDIENCE]: otherAudience(), [ALGORITHM]: oldAlgorithm },
  },
  okta: {
    openid: {
      [AUDIENCE]: withClaims({ aud: "api://other" }),
      "no applicable key found": withKey("of the organization"),
      [DISCOVERY]: withIssuer((issuer) => `${issuer}/`),
      [NAMELESS]: withClaims({ groups: undefined }),
    },
    saml2: {
      [FOREIGN_AUDIENCE]: otherAudience(),
      "expected this ACS URL": withAssertion(() => ({ recipient: "https://id.example.org/other" })),
      [SIGNER]: otherSigner(),
    },
  },
};
