/**
 * WebSSO: a dashboard sends a browser here to log in, and receives the token from a page that the browser posts. So does a program
 * on the user's computer, where the protocol allows it.
 */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../../area.js";
import type { MoreMethodsRequiredError } from "../../auth/auth-errors.js";
import type { IssuedToken } from "../../auth/login.js";
import { IdentityProviderNotFoundError } from "../../identity-providers/identity-provider-errors.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import type { OpenedProtocol } from "../../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import { errorClass, InvalidError, UnauthorizedError } from "../../platform/errors.js";
import type { Query } from "../../platform/http/query.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { BrowserStep, FederatedRequest } from "../assertion-verifier.js";
import { AssertionRefusedError, logRefusal } from "../federation-errors.js";
import type { ForwardedVerifier } from "../protocols/forwarded/forwarded-assertion.js";
import { choicePage, confirmationPage, handOverPage } from "./websso-pages.js";

/** The service's own console: browsers return to it with a session instead of a token. */
export interface SessionTarget {
  /** The URL of one of its pages; `undefined` for any other. */
  pageOf(requested: string): string | undefined;
  /** The step that begins a session, and sends the browser to the page. */
  begin(page: string, token: IssuedToken): Promise<BrowserStep>;
  /** The same for a login that needs further methods, which the page asks for. */
  beginUnfinished(page: string, error: MoreMethodsRequiredError): Promise<BrowserStep>;
}

export interface WebSsoDeps extends Pick<Platform, "links"> {
  readonly identityProviders: {
    readonly get: (id: string) => Promise<IdentityProvider>;
    readonly findByRemoteId: (remoteId: string) => Promise<IdentityProvider | undefined>;
  };
  readonly protocols: {
    readonly listOfId: (id: string) => Promise<readonly StoredProtocol[]>;
    readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol>;
  };
  readonly forwarded: Pick<ForwardedVerifier, "remoteIdOf">;
  /** The URLs to which tokens are sent for every protocol, without a click. */
  readonly trustedDashboards: readonly string[];
  /** `undefined` without a console. */
  readonly ownConsole?: SessionTarget | undefined;
}

export interface WebSso {
  /**
   * The dashboard, or program, that sent the browser.
   *
   * @param key `undefined` where the request names no provider: then it can only be a dashboard.
   * @throws {OriginMissingError} {@link UntrustedOriginError}
   */
  requireOrigin(request: Pick<FastifyRequest, "query" | "headers">, key?: ProtocolKey): Promise<string>;
  /** The page that posts the token there. @throws {UntrustedOriginError} */
  handOver(
    token: IssuedToken,
    from: { readonly origin: string; readonly key: ProtocolKey },
  ): Promise<BrowserStep>;
  /** The step where the browser goes on with further methods; `undefined` where it can't. */
  goOn(error: MoreMethodsRequiredError, origin: string): Promise<BrowserStep | undefined>;
  /**
   * The provider for a request that names only a protocol; a page to choose from if several have the protocol.
   *
   * @throws {AssertionRefusedError} No enabled provider has the protocol.
   * @throws {IdentityProviderNotFoundError} A front end names a provider that does not exist.
   */
  chooseProvider(protocolId: string, request: RequestWithOrigin): Promise<ProtocolKey | BrowserStep>;
}

type RequestWithOrigin = FederatedRequest & { readonly origin: string };

/** The request names no dashboard. */
export class OriginMissingError extends errorClass(
  InvalidError,
  "websso/no-origin",
  "Request must have an origin query parameter",
) {}

/** The dashboard is not among the trusted ones. */
export class UntrustedOriginError extends errorClass(UnauthorizedError, "websso/untrusted-origin") {}

const LOOPBACK_HINT =
  ', and the URL names no protocol whose settings have "allow_loopback_websso": true (…/identity_providers/IDP/protocols/PROTOCOL/websso)';

export function createWebSso(deps: WebSsoDeps): WebSso {
  const { identityProviders, protocols, forwarded, links, trustedDashboards, ownConsole } = deps;

  async function requireTrusted(origin: string, key: ProtocolKey | undefined): Promise<string> {
    const spellings = [origin, unquoted(origin)];
    const trusted = spellings.find((each) => trustedDashboards.includes(each));
    if (trusted !== undefined) return trusted;
    const loopback = spellings.find(isLoopback);
    if (loopback !== undefined && key !== undefined && (await allowsLoopback(key))) return loopback;
    throw new UntrustedOriginError(
      `origin ${quoted(origin)} is not among the trusted dashboards (IDENTITY_TRUSTED_DASHBOARDS)${loopback === undefined ? "" : LOOPBACK_HINT}`,
    );
  }

  async function allowsLoopback(key: ProtocolKey): Promise<boolean> {
    return (await protocols.getOpened(key)).settings.allow_loopback_websso === true;
  }

  /** A front end that authenticated the user also names the provider. */
  async function providerInHeader(request: FederatedRequest): Promise<string | undefined> {
    const remoteId = forwarded.remoteIdOf(request);
    if (remoteId === undefined) return undefined;
    const provider = await identityProviders.findByRemoteId(remoteId);
    if (provider === undefined) throw new IdentityProviderNotFoundError(remoteId);
    return provider.id;
  }

  async function enabledProviders(protocolId: string): Promise<IdentityProvider[]> {
    const found: IdentityProvider[] = [];
    for (const { idpId } of await protocols.listOfId(protocolId)) {
      const provider = await identityProviders.get(idpId);
      if (provider.enabled) found.push(provider);
    }
    return found;
  }

  async function chooseProvider(protocolId: string, request: RequestWithOrigin) {
    const idpId = await providerInHeader(request);
    if (idpId !== undefined) return { idpId, id: protocolId };
    const [only, ...others] = await enabledProviders(protocolId);
    if (only === undefined)
      throw new AssertionRefusedError({
        step: "protocol",
        reason: `no enabled identity provider has a protocol ${quoted(protocolId)}`,
      });
    if (others.length === 0) return { idpId: only.id, id: protocolId };
    const query = new URLSearchParams({ origin: request.origin }).toString();
    const addressOf = ({ id }: IdentityProvider) =>
      `${links.self("/v3/auth/OS-FEDERATION/identity_providers", id, "protocols", protocolId, "websso")}?${query}`;
    return choicePage(
      [only, ...others].map((provider) => ({
        name: provider.description?.trim() || provider.id,
        url: addressOf(provider),
      })),
    );
  }

  return {
    async requireOrigin({ query, headers }, key) {
      const { origin = "" } = query as Query;
      if (origin === "") throw new OriginMissingError();
      const page = ownConsole?.pageOf(origin);
      if (page === undefined) return requireTrusted(origin, key);
      requireOwnSite(headers["sec-fetch-site"]);
      return page;
    },

    async handOver(token, { origin, key }) {
      const page = ownConsole?.pageOf(origin);
      if (page !== undefined && ownConsole !== undefined) return ownConsole.begin(page, token);
      const trusted = await requireTrusted(origin, key);
      return trustedDashboards.includes(trusted)
        ? handOverPage(trusted, token.text)
        : confirmationPage(trusted, token.text);
    },

    async goOn(error, origin) {
      const page = ownConsole?.pageOf(origin);
      return page === undefined ? undefined : ownConsole?.beginUnfinished(page, error);
    },

    async chooseProvider(protocolId, request) {
      try {
        return await chooseProvider(protocolId, request);
      } catch (failure) {
        logRefusal(request.log, { id: protocolId }, failure);
        throw failure;
      }
    },
  };
}

/**
 * Another site must not replace the session that a browser has in the console: there, logins begin on its own pages, or where the user
 * enters the address. Browsers without the header are accepted.
 *
 * @throws {UntrustedOriginError}
 */
function requireOwnSite(site: FastifyRequest["headers"][string]): void {
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw new UntrustedOriginError(
    `a login to the console begins on its own pages: Sec-Fetch-Site is ${quoted(site.toString())}, expected "same-origin" or "none"`,
  );
}

/**
 * The address of a program on the user's computer, with the path of keystoneauth's `v3websso`. No other spelling is accepted:
 * resolvers and browsers differ in what else they take for a loopback address.
 *
 * @see RFC 8252, 7.3 and 8.3.
 */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):([1-9]\d{0,4})\/auth\/websso\/$/;
const MAX_PORT = 65_535;

function isLoopback(origin: string): boolean {
  return Number(LOOPBACK.exec(origin)?.[1] ?? Infinity) <= MAX_PORT;
}

/** Dashboards percent-encode their URL once too often; Keystone decodes it too. */
function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
