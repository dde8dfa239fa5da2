/** Verifies the request of a login by the verifier of the protocol's settings: for logins and test logins. */
import { TooManyError } from "../platform/errors.js";
import type { Links } from "../platform/http/links.js";
import { networkOf, type TokenBuckets } from "../platform/rate-limit.js";
import type { AnyVerifier, BrowserStep, FederatedRequest, VerifiedAssertion } from "./assertion-verifier.js";
import { authUrlOf } from "./auth-url.js";
import type { EnabledProtocol } from "./federated-login.js";
import { AssertionRefusedError } from "./federation-errors.js";
import type { LoginTrace } from "./login-trace.js";

export interface LoginVerificationDeps {
  readonly verifiers: readonly AnyVerifier[];
  readonly links: Links;
  /** How many logins each network may still begin; `undefined` where they are not limited. */
  readonly begunLogins?: TokenBuckets | undefined;
}

/** @throws {AssertionRefusedError} {@link TooManyError} The network has begun too many logins. */
export type VerifyLogin = (
  enabled: EnabledProtocol,
  request: FederatedRequest,
  trace: LoginTrace | undefined,
) => Promise<VerifiedAssertion | BrowserStep>;

export function createLoginVerification({
  verifiers,
  links,
  begunLogins,
}: LoginVerificationDeps): VerifyLogin {
  return async ({ provider, protocol }, request, trace) => {
    const settings = protocol.opened ?? { type: "forwarded" as const };
    const verifier = verifiers.find(({ type }) => type === settings.type);
    if (verifier === undefined)
      throw new AssertionRefusedError({
        step: "settings",
        reason: `the protocol's settings type "${settings.type}" has no login endpoint`,
      });
    const authUrl = authUrlOf(links, protocol);
    const beginLogin = () => checkBegun(begunLogins, networkOf(request.clientAddress));
    return verifier.verify(
      { ...request, authUrl, beginLogin, trace },
      {
        identityProviderId: provider.id,
        protocolId: protocol.id,
        remoteIdAttribute: protocol.remoteIdAttribute,
        remoteIds: provider.remoteIds,
        refreshedAt: protocol.refreshedAt,
        // The verifier was found by the type of these settings.
        settings: settings as never,
      },
    );
  };
}

/** @throws {TooManyError} The network has begun too many logins. */
async function checkBegun(begunLogins: TokenBuckets | undefined, network: string): Promise<void> {
  const verdict = await begunLogins?.take(network);
  if (verdict?.isAllowed !== false) return;
  const { retryAfterSeconds } = verdict;
  throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
}
