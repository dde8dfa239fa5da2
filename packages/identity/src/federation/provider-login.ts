/** A login through a protocol of an identity provider: verifies the request by the protocol's settings, then proves the user. */
import type { FastifyRequest } from "fastify";

import type { ProtocolKey } from "../identity-providers/protocol-store.js";
import { ServiceError, TooManyError } from "../platform/errors.js";
import type { Links } from "../platform/http/links.js";
import type { LoginLimiter } from "../platform/login-limits/login-limiter.js";
import { networkOf, type TokenBuckets } from "../platform/rate-limit.js";
import { shortened } from "../platform/text/quoted-value.js";
import type { Proof } from "../auth/auth-methods.js";
import {
  isBrowserStep,
  type AnyVerifier,
  type BrowserStep,
  type FederatedRequest,
} from "./assertion-verifier.js";
import type { EnabledProtocol, FederatedLogin } from "./federated-login.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";

export interface ProviderLoginDeps {
  readonly federatedLogin: FederatedLogin;
  readonly verifiers: readonly AnyVerifier[];
  readonly links: Links;
  /** `undefined` where failed logins are not limited. */
  readonly limiter?: Pick<LoginLimiter, "admitFederated"> | undefined;
  /** How many logins each network may still begin; `undefined` where they are not limited. */
  readonly begunLogins?: TokenBuckets | undefined;
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
  verifiers,
  links,
  limiter,
  begunLogins,
}: ProviderLoginDeps): ProviderLogin {
  async function verify({ provider, protocol }: EnabledProtocol, request: FederatedRequest) {
    const settings = protocol.opened ?? { type: "forwarded" as const };
    const verifier = verifiers.find(({ type }) => type === settings.type);
    if (verifier === undefined)
      throw new AssertionRefusedError({
        step: "settings",
        reason: `the protocol's settings type "${settings.type}" has no login endpoint`,
      });
    const authUrl = links.self(
      "/v3/OS-FEDERATION/identity_providers",
      provider.id,
      "protocols",
      protocol.id,
      "auth",
    );
    const beginLogin = () => checkBegun(begunLogins, networkOf(request.clientAddress));
    return verifier.verify(
      { ...request, authUrl, beginLogin },
      {
        identityProviderId: provider.id,
        protocolId: protocol.id,
        remoteIdAttribute: protocol.remoteIdAttribute,
        remoteIds: provider.remoteIds,
        // The verifier was found by the type of these settings.
        settings: settings as never,
      },
    );
  }

  async function attempt(
    enabled: EnabledProtocol,
    request: FederatedRequest,
    options: ProviderLoginOptions | undefined,
  ): Promise<ProvedLogin | BrowserStep> {
    const result = await verify(enabled, request);
    if (isBrowserStep(result)) return result;
    const proof = await federatedLogin.prove(result, enabled, { ...options, log: request.log });
    return { proof, origin: result.origin };
  }

  return async (key, request, options) => {
    try {
      const enabled = await federatedLogin.requireEnabled(key);
      // All users of a front end share its address, and it has authenticated them itself.
      const isLimited = (enabled.protocol.opened?.type ?? "forwarded") !== "forwarded";
      return await limited(isLimited ? limiter : undefined, { key, request }, () =>
        attempt(enabled, request, options),
      );
    } catch (failure) {
      logRefusal(request.log, key, failure);
      throw failure;
    }
  };
}

/** Every failure counts, whatever its cause: each attempt may send requests to the provider, or verify signatures. */
async function limited<Result>(
  limiter: ProviderLoginDeps["limiter"],
  { key, request }: { readonly key: ProtocolKey; readonly request: FederatedRequest },
  login: () => Promise<Result>,
): Promise<Result> {
  const admission = await limiter?.admitFederated({ providerId: key.idpId, address: request.clientAddress });
  try {
    const result = await login();
    admission?.end("succeeded");
    return result;
  } catch (failure) {
    admission?.end("failed");
    throw failure;
  }
}

/** @throws {TooManyError} The network has begun too many logins. */
async function checkBegun(begunLogins: TokenBuckets | undefined, network: string): Promise<void> {
  const verdict = await begunLogins?.take(network);
  if (verdict?.isAllowed !== false) return;
  const { retryAfterSeconds } = verdict;
  throw new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds });
}

/** Of an error's message, in the log: it may quote what the client has sent. */
const MAX_MESSAGE_LENGTH = 500;

/** Logs why a federated login was rejected: names of attributes, never their values. */
export function logRefusal(
  log: FastifyRequest["log"] | FederatedRequest["log"],
  key: object,
  failure: unknown,
): void {
  const isRefusal = failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError;
  const facts = isRefusal ? failure.facts : { step: "login", reason: reasonOf(failure) };
  log.info({ federation: { ...key, ...facts } }, "federated login refused");
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof ServiceError)) return "unexpected";
  return `${failure.code}: ${shortened(failure.message, MAX_MESSAGE_LENGTH)}`;
}
