/** A login through a protocol of an identity provider: verifies the request by the protocol's settings, then proves the user. */
import type { Platform } from "../area.js";
import type { Proof } from "../auth/auth-methods.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { TooManyError } from "../platform/errors.js";
import { federatedEvent } from "../platform/events.js";
import type { FederatedAttempt, LoginThrottle } from "../platform/login-throttling/login-throttle.js";
import {
  isBrowserStep,
  type BrowserStep,
  type FederatedRequest,
  type ProviderSession,
  type VerifiedAssertion,
  type VerifierLog,
  type EnabledProtocol,
} from "./assertion-verifier.js";
import type { FailedLogins } from "./failed-logins/failed-logins.js";
import type { FederatedLogin, ProveOptions } from "./federated-login.js";
import { logRefusal } from "./federation-errors.js";
import { createLoginTrace, type LoginTrace } from "./login-trace.js";
import type { ProtocolLogins, ProtocolTypes } from "./protocols/protocol-type.js";
import { requireEnabledProvider } from "./provider-conditions.js";
import type { LoginCounts } from "./provider-health/provider-metrics.js";

export interface ProviderLoginDeps extends Pick<Platform, "publish"> {
  readonly federatedLogin: FederatedLogin;
  readonly types: Pick<ProtocolTypes, "find">;
  readonly verify: ProtocolLogins["verify"];
  readonly observer: LoginObserver;
  readonly failedLogins: Pick<FailedLogins, "proved" | "failed">;
  readonly counts: Pick<LoginCounts, "count">;
  /** Records a session at the provider. @returns The chain of its tokens. */
  readonly recordSession: (key: ProtocolKey, session: ProviderSession, userId: string) => Promise<string>;
  /** `undefined` where failed logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitFederated"> | undefined;
}

/** What observes logins: the workbench, which logins do not import. */
export interface LoginObserver {
  /** Takes the assertion of each login whose provider accepts it, in the background. Never rejects. */
  accepted(assertion: VerifiedAssertion, log: VerifierLog | undefined): Promise<void>;
  /** Whether a browser may be at the provider for a test login. */
  awaitsTest(key: ProtocolKey): Promise<boolean>;
  /**
   * Ends a login that was begun as a test, which gets no token.
   *
   * @param verified Throws what a login would be rejected for.
   */
  finishTest(
    test: { readonly trace: LoginTrace; readonly enabled: EnabledProtocol },
    verified: () => Promise<VerifiedAssertion>,
  ): Promise<BrowserStep>;
}

/** A successful login. */
export interface ProvedLogin {
  readonly proof: Proof;
  /** The dashboard to send the browser to. */
  readonly origin: string | undefined;
}

export interface ProviderLoginOptions {
  /** The method that the token shows; the protocol's id if left out. */
  readonly method?: string;
}

/** Proves the user of a request, or returns what the browser has to do first. Logs the reason of a rejection. */
export type ProviderLogin = (
  key: ProtocolKey,
  request: FederatedRequest,
  options?: ProviderLoginOptions,
) => Promise<ProvedLogin | BrowserStep>;

export function createProviderLogin({
  federatedLogin,
  types,
  verify,
  observer,
  failedLogins,
  counts,
  recordSession,
  throttle,
  publish,
}: ProviderLoginDeps): ProviderLogin {
  /** Of a disabled provider, the only login that is verified is one that may be a test. @throws {AssertionForbiddenError} */
  async function requireReachable(key: ProtocolKey): Promise<EnabledProtocol> {
    const protocol = await federatedLogin.requireTestable(key);
    const { provider } = protocol;
    if (!provider.enabled && !(await observer.awaitsTest(key))) requireEnabledProvider(provider);
    return protocol;
  }

  async function attempt(
    enabled: EnabledProtocol,
    request: FederatedRequest,
    { named, ...options }: ProviderLoginOptions & Required<Pick<ProveOptions, "named">>,
  ): Promise<ProvedLogin | BrowserStep> {
    // Only a browser returns from a test login.
    const trace = request.headers.cookie === undefined ? undefined : createLoginTrace();
    const outcome = await outcomeOf(verify({ ...request, trace }, enabled));
    if (trace?.testLoginId !== undefined) return finishTest(enabled, trace, outcome);
    requireEnabledProvider(enabled.provider);
    if ("failure" in outcome) throw outcome.failure;
    const { result } = outcome;
    if (isBrowserStep(result)) return result;
    const proof = await federatedLogin.prove(result, enabled, {
      ...options,
      accepted: (assertion) => observer.accepted(assertion, request.log),
      named,
      log: request.log,
    });
    const { origin, session } = result;
    const { idpId, id } = enabled;
    const chain = session && (await recordSession({ idpId, id }, session, proof.userId));
    failedLogins.proved({ idpId, id });
    counts.count(idpId, "success");
    await publish(federatedEvent("success", idpId, proof));
    return { proof: chain === undefined ? proof : { ...proof, sessionChainId: chain }, origin };
  }

  /** Never a token: the login began as a test. */
  function finishTest(
    enabled: EnabledProtocol,
    trace: LoginTrace,
    outcome: Outcome<VerifiedAssertion | BrowserStep>,
  ): Promise<BrowserStep> {
    return observer.finishTest({ trace, enabled }, async () => {
      if ("failure" in outcome) throw outcome.failure;
      if (isBrowserStep(outcome.result))
        throw new TypeError("a test login returned, and another login begins");
      return outcome.result;
    });
  }

  return async (key, request, options) => {
    let isEnabled: boolean | undefined;
    let userName: string | undefined;
    const named = (name: string | undefined) => void (userName = name);
    try {
      const enabled = await requireReachable(key);
      isEnabled = enabled.provider.enabled;
      const isLimited = types.find(enabled.settings)?.isLimited !== false;
      const source = { providerId: key.idpId, address: request.clientAddress };
      return await limited(isLimited ? throttle : undefined, source, () =>
        attempt(enabled, request, { ...options, named }),
      );
    } catch (failure) {
      logRefusal(request.log, key, failure);
      failedLogins.failed(key, { ...request, userName }, failure);
      if (isEnabled !== undefined) counts.count(key.idpId, "failure");
      // As in Keystone, none for a provider that is disabled; nor for a request that a limit refused.
      if (isEnabled === true && !(failure instanceof TooManyError))
        await publish(federatedEvent("failure", key.idpId));
      throw failure;
    }
  };
}

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

async function outcomeOf<Result>(work: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work };
  } catch (failure) {
    return { failure };
  }
}

/** Every failure counts, whatever its cause: each attempt may send requests to the provider, or verify signatures. */
export async function limited<Result>(
  throttle: ProviderLoginDeps["throttle"],
  source: FederatedAttempt,
  login: () => Promise<Result>,
): Promise<Result> {
  const admission = await throttle?.admitFederated(source);
  try {
    const result = await login();
    admission?.end("succeeded");
    return result;
  } catch (failure) {
    admission?.end("failed");
    throw failure;
  }
}
