/**
 * Logout of federated users: at their provider, which ends the tokens of its session, or here, which goes on at the provider.
 */
import type { Platform } from "../../area.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import { WHOLE_LIST, type ListQuery } from "../../platform/database/table.js";
import { UnauthorizedError } from "../../platform/errors.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { requireOwnLogin } from "../../policy/delegation-rejections.js";
import { auditChainOf } from "../../tokens/audit-ids.js";
import { InvalidTokenError, NoTokenError, UnreadableTokenError } from "../../tokens/token-errors.js";
import type { TokenPayload } from "../../tokens/token-payload.js";
import type { TokenService } from "../../tokens/token-service.js";
import type { BrowserStep, VerifierLog, EnabledProtocol } from "../assertion-verifier.js";
import type { PendingLogins } from "../browser/pending-logins.js";
import { loggedOutPage } from "../browser/websso-pages.js";
import { UntrustedOriginError } from "../browser/websso.js";
import type { FederatedLogin } from "../federated-login.js";
import { AssertionRefusedError, logRefusal } from "../federation-errors.js";
import type { LogoutMessageRequest, ProtocolLogins } from "../protocols/protocol-type.js";
import type { EndedSessions, ProviderSessions } from "./provider-sessions.js";

/** The log line of a rejected logout. */
export const LOGOUT_REFUSED = "federated logout refused";

export interface LogoutDeps extends Pick<Platform, "links"> {
  readonly federatedLogin: Pick<FederatedLogin, "requireEnabled">;
  readonly tokens: Pick<TokenService, "read">;
  readonly sessions: ProviderSessions;
  /** By type. */
  readonly protocolLogins: ReadonlyMap<string, ProtocolLogins>;
  readonly pendingLogins: Pick<PendingLogins, "use" | "wasUsed">;
  /** The URLs to which tokens may be sent. */
  readonly trustedDashboards: readonly string[];
}

export interface LoggedOut {
  readonly step: BrowserStep;
  /** `undefined` where none was to be ended. */
  readonly ended: EndedSessions | undefined;
  readonly key: ProtocolKey;
}

export interface UserLogout {
  readonly token: string;
  /** Where the browser goes afterwards: a page of a trusted dashboard; `undefined` for none. */
  readonly origin: string | undefined;
  readonly log: VerifierLog;
}

export interface Logout {
  /** A SAML message of a provider. @throws {AssertionRefusedError} */
  receiveMessage(request: LogoutMessageRequest): Promise<LoggedOut>;
  /** A logout token of an OpenID provider. @throws {AssertionRefusedError} */
  receiveToken(key: ProtocolKey, token: string): Promise<LoggedOut>;
  /**
   * Ends the session of a token, then sends the browser to the provider.
   *
   * @throws {AssertionRefusedError} The token is of another protocol, or that has no single logout.
   * @throws {UnauthorizedError} An invalid token. {@link UntrustedOriginError}
   */
  logOut(key: ProtocolKey, request: UserLogout): Promise<LoggedOut>;
  /** The browser's last step, where the provider sent it back. */
  leave(origin: string | undefined): BrowserStep;
}

export function createLogout(deps: LogoutDeps): Logout {
  const { federatedLogin, tokens, sessions, protocolLogins, pendingLogins, links } = deps;
  const logouts = [...protocolLogins].flatMap(([type, { logout }]) => (logout ? [{ type, logout }] : []));
  const tokenTypes = logouts
    .flatMap(({ type, logout }) => (logout.readToken === undefined ? [] : [quoted(type)]))
    .join(" or ");
  const receiver = logouts.find(({ logout }) => logout.receive !== undefined)?.logout;
  const trustedOrigins = new Set(deps.trustedDashboards.map((url) => new URL(url).origin));

  /** A page of a trusted dashboard; `undefined` for others. */
  function trustedUrl(text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && trustedOrigins.has(url.origin) ? url.href : undefined;
  }

  const logoutOf = ({ settings }: EnabledProtocol) => protocolLogins.get(settings.type)?.logout;

  function leave(origin: string | undefined): BrowserStep {
    const location = origin === undefined ? undefined : trustedUrl(origin);
    return location === undefined ? loggedOutPage() : { status: 303, headers: { location }, body: "" };
  }

  async function requireLogout(key: ProtocolKey): Promise<EnabledProtocol> {
    const enabled = await federatedLogin.requireEnabled(key);
    if (!hasLogout(enabled))
      throw refused("settings", `the protocol's settings have no "logout": true, expected for logouts`);
    return enabled;
  }

  async function requireToken(text: string, key: ProtocolKey): Promise<TokenPayload> {
    const { payload } = await readToken(tokens, text);
    requireOwnLogin(payload);
    const { identityProviderId, protocolId } = payload.federation ?? {};
    if (identityProviderId !== key.idpId || protocolId !== key.id)
      throw refused(
        "token",
        `the token is of identity provider ${quoted(identityProviderId)} and protocol ${quoted(protocolId)}, expected those of the URL: ${quoted(key.idpId)}, ${quoted(key.id)}`,
      );
    return payload;
  }

  async function logOutAtProvider(
    { enabled, hint, origin }: { enabled: EnabledProtocol; hint: object; origin: string | undefined },
    log: VerifierLog,
  ): Promise<BrowserStep | undefined> {
    const { idpId, id } = enabled;
    const home = links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id);
    return logoutOf(enabled)?.begin(enabled, { hint, origin, returnUrl: `${home}/logout`, log });
  }

  return {
    leave,

    async receiveMessage(request) {
      const received = await receiver?.receive?.(request);
      if (received === undefined) throw refused("settings", "no protocol receives logout messages");
      const { step, relayState, ended, key } = received;
      return { step: step ?? leave(relayState), ended, key };
    },

    async receiveToken(key, token) {
      const enabled = await requireLogout(key);
      const read = await logoutOf(enabled)?.readToken?.(enabled, token);
      if (read === undefined)
        throw refused(
          "settings",
          `settings of type ${quoted(enabled.settings.type)} take no logout token, expected ${tokenTypes}`,
        );
      const { tokenId, usableUntil, logout } = read;
      const used = { kind: "openid-logout", id: tokenId, expiresAt: usableUntil } as const;
      if (await pendingLogins.wasUsed(used.kind, tokenId))
        throw refused("replay", 'replayed: a logout token with this "jti" was used before');
      const ended = await sessions.end(key, logout);
      // Only now: the provider may repeat a token that failed here.
      await pendingLogins.use(used);
      return { step: { status: 200, headers: {}, body: "" }, ended, key };
    },

    async logOut(key, { token, origin, log }) {
      if (origin !== undefined && trustedUrl(origin) === undefined)
        throw new UntrustedOriginError(
          `origin ${quoted(origin)} is not on the site of a trusted dashboard (IDENTITY_TRUSTED_DASHBOARDS)`,
        );
      const enabled = await requireLogout(key);
      const payload = await requireToken(token, key);
      const hint = await sessions.endChain(auditChainOf(payload));
      const ended = { count: 1, userIds: [payload.userId] };
      try {
        const step = hint && (await logOutAtProvider({ enabled, hint, origin }, log));
        return { step: step ?? leave(origin), ended, key };
      } catch (failure) {
        // The tokens have ended; only the provider's own session goes on.
        if (!(failure instanceof AssertionRefusedError)) throw failure;
        logRefusal(log, key, failure, "the provider could not be asked to log a user out");
        return { step: leave(origin), ended, key };
      }
    },
  };
}

export interface ProviderLookup {
  readonly identityProviders: {
    readonly findByRemoteId: (remoteId: string) => Promise<{ readonly id: string } | undefined>;
  };
  readonly protocols: {
    readonly list: (idpId: string, query: ListQuery<never>) => Promise<readonly ProtocolKey[]>;
  };
  readonly federatedLogin: Pick<FederatedLogin, "requireEnabled">;
}

/** The protocols with single logout of the provider that has this remote id. */
export async function protocolsWithLogout(
  remoteId: string,
  { identityProviders, protocols, federatedLogin }: ProviderLookup,
): Promise<EnabledProtocol[]> {
  const provider = await identityProviders.findByRemoteId(remoteId);
  if (provider === undefined) return [];
  const keys = await protocols.list(provider.id, WHOLE_LIST);
  const enabled = await Promise.all(
    keys.map(({ idpId, id }) => federatedLogin.requireEnabled({ idpId, id })),
  );
  return enabled.filter(hasLogout);
}

/** Whether a protocol's settings have single logout. */
function hasLogout({ settings }: EnabledProtocol): boolean {
  return settings.logout === true;
}

async function readToken(tokens: LogoutDeps["tokens"], text: string) {
  try {
    return await tokens.read(text);
  } catch (cause) {
    const isInvalid = [NoTokenError, UnreadableTokenError, InvalidTokenError].some(
      (kind) => cause instanceof kind,
    );
    throw isInvalid ? new UnauthorizedError("the token to log out with is not valid", { cause }) : cause;
  }
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
}
