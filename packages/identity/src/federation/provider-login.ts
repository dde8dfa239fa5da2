/** A login through a protocol of an identity provider: verifies the request by the protocol's settings, then proves the user. */
import type { FastifyRequest } from "fastify";

import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { ServiceError, TooManyError } from "../platform/errors.js";
import type { Links } from "../platform/http/links.js";
import type { FederatedAttempt, LoginLimiter } from "../platform/login-limits/login-limiter.js";
import { networkOf, type TokenBuckets } from "../platform/rate-limit.js";
import { shortened } from "../platform/text/quoted-value.js";
import type { Proof } from "../auth/auth-methods.js";
import {
  isBrowserStep,
  type AnyVerifier,
  type BrowserStep,
  type FederatedRequest,
  type ProviderSession,
} from "./assertion-verifier.js";
import { authUrlOf } from "./auth-url.js";
import type { EnabledProtocol, FederatedLogin } from "./federated-login.js";
import { AssertionForbiddenError, AssertionRefusedError } from "./federation-errors.js";

export interface ProviderLoginDeps {
  readonly federatedLogin: FederatedLogin;
  readonly verifiers: readonly AnyVerifier[];
  readonly links: Links;
  /** Records a session at the provider. @returns The chain of its tokens. */
  readonly recordSession: (key: ProtocolKey, session: ProviderSession, userId: string) => Promise<string>;
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
  recordSession,
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
    const authUrl = authUrlOf(links, protocol);
    const beginLogin = () => checkBegun(begunLogins, networkOf(request.clientAddress));
    return verifier.verify(
      { ...request, authUrl, beginLogin },
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
  }

  async function attempt(
    enabled: EnabledProtocol,
    request: FederatedRequest,
    options: ProviderLoginOptions | undefined,
  ): Promise<ProvedLogin | BrowserStep> {
    const result = await verify(enabled, request);
    if (isBrowserStep(result)) return result;
    const proof = await federatedLogin.prove(result, enabled, { ...options, log: request.log });
    const { origin, session } = result;
    if (session === undefined) return { proof, origin };
    const { idpId, id } = enabled.protocol;
    return {
      proof: { ...proof, sessionChainId: await recordSession({ idpId, id }, session, proof.userId) },
      origin,
    };
  }

  return async (key, request, options) => {
    try {
      const enabled = await federatedLogin.requireEnabled(key);
      // All users of a front end share its address, and it has authenticated them itself.
      const isLimited = (enabled.protocol.opened?.type ?? "forwarded") !== "forwarded";
      const source = { providerId: key.idpId, address: request.clientAddress };
      return await limited(isLimited ? limiter : undefined, source, () => attempt(enabled, request, options));
    } catch (failure) {
      logRefusal(request.log, key, failure);
      throw failure;
    }
  };
}

/** Every failure counts, whatever its cause: each attempt may send requests to the provider, or verify signatures. */
export async function limited<Result>(
  limiter: ProviderLoginDeps["limiter"],
  source: FederatedAttempt,
  login: () => Promise<Result>,
): Promise<Result> {
  const admission = await limiter?.admitFederated(source);
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
  message = "federated login refused",
): void {
  const isRefusal = failure instanceof AssertionRefusedError || failure instanceof AssertionForbiddenError;
  const facts = isRefusal ? failure.facts : { step: "login", reason: reasonOf(failure) };
  log.info({ federation: { ...key, ...facts } }, message);
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof ServiceError)) return "unexpected";
  return `${failure.code}: ${shortened(failure.message, MAX_MESSAGE_LENGTH)}`;
}
