/** WebSSO: browsers that a dashboard sends here to log in, and that go back to it with a token. */
import { IdentityProviderNotFoundError } from "../../identity-providers/identity-provider-errors.js";
import type { IdentityProvider } from "../../identity-providers/identity-provider-store.js";
import type { ProtocolKey, StoredProtocol } from "../../identity-providers/protocol-store.js";
import { InvalidError, UnauthorizedError } from "../../platform/errors.js";
import type { Links } from "../../platform/http/links.js";
import type { Query } from "../../platform/http/query.js";
import type { BrowserStep } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { ForwardedVerifier } from "../forwarded-assertion.js";
import { logRefusal, type LoginRequest } from "../provider-login.js";
import { choicePage, handOverPage } from "./websso-pages.js";

export interface BrowserLoginDeps {
  readonly identityProviders: {
    readonly get: (id: string) => Promise<IdentityProvider>;
    readonly findByRemoteId: (remoteId: string) => Promise<IdentityProvider | undefined>;
  };
  readonly protocols: { readonly listOfId: (id: string) => Promise<readonly StoredProtocol[]> };
  readonly forwarded: Pick<ForwardedVerifier, "remoteIdOf">;
  readonly links: Links;
  /** Where browsers may be sent with a token. */
  readonly trustedDashboards: readonly string[];
}

export interface BrowserLogin {
  /**
   * The dashboard that a browser comes from.
   *
   * @throws {OriginMissingError} {@link UntrustedOriginError}
   */
  requireOrigin(query: unknown): string;
  /** The page that brings the token to the dashboard. @throws {UntrustedOriginError} */
  handOver(origin: string, token: string): BrowserStep;
  /**
   * The provider to go to, for a browser that names a protocol alone; a page to choose from where there are several.
   *
   * @throws {AssertionRefusedError} None has the protocol.
   * @throws {IdentityProviderNotFoundError} A front end names one that there is not.
   */
  choose(
    protocolId: string,
    request: LoginRequest & { readonly origin: string },
  ): Promise<ProtocolKey | BrowserStep>;
}

/** The dashboard is not named. */
export class OriginMissingError extends InvalidError {
  override readonly name = "OriginMissingError";
  override readonly code = "websso/no-origin";

  constructor() {
    super("Request must have an origin query parameter");
  }
}

/** The dashboard is none that tokens may go to. */
export class UntrustedOriginError extends UnauthorizedError {
  override readonly name = "UntrustedOriginError";
  override readonly code = "websso/untrusted-origin";
}

export function createBrowserLogin(deps: BrowserLoginDeps): BrowserLogin {
  const { identityProviders, protocols, forwarded, links, trustedDashboards } = deps;

  function requireTrusted(origin: string): string {
    const trusted = [origin, unquoted(origin)].find((each) => trustedDashboards.includes(each));
    if (trusted === undefined) throw new UntrustedOriginError("the origin is no trusted dashboard");
    return trusted;
  }

  /** A front end that knows who the user is knows the provider too. */
  async function providerInHeader(request: LoginRequest): Promise<string | undefined> {
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

  async function choose(protocolId: string, request: LoginRequest & { readonly origin: string }) {
    const idpId = await providerInHeader(request);
    if (idpId !== undefined) return { idpId, id: protocolId };
    const [only, ...others] = await enabledProviders(protocolId);
    if (only === undefined)
      throw new AssertionRefusedError({ step: "protocol", reason: "no enabled provider has the protocol" });
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
    requireOrigin(query) {
      const { origin = "" } = query as Query;
      if (origin === "") throw new OriginMissingError();
      return requireTrusted(origin);
    },

    handOver: (origin, token) => handOverPage(requireTrusted(origin), token),

    async choose(protocolId, request) {
      try {
        return await choose(protocolId, request);
      } catch (failure) {
        logRefusal(request.log, { id: protocolId }, failure);
        throw failure;
      }
    },
  };
}

/** Dashboards quote their address once more than they need to, and Keystone takes it off. */
function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
